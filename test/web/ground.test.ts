/** The ground of the page: the shell and its policy, the files it loads, and the stream of what changed. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import http, { type IncomingMessage } from 'node:http'
import { after, before, describe, mock, test } from 'node:test'
import { actingFor } from '../../src/accounts/actor.ts'
import { makeLive, mostStreamsOfOne } from '../../src/api/web/live.ts'
import { engines, silentLog } from '../support/engines.ts'
import { claim, finish, type JudgeStage, makeProblem, startJudge, submit } from '../support/judge.ts'
import { type Json, makeRpcClient, type RpcClient } from '../support/rpc.ts'
import { startServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
/** What a first load may weigh in script, over the wire. */
const mostScriptBytes = 60_000

for (const engine of engines)
  describe(`the page's ground on ${engine}`, () => {
    let stage: JudgeStage
    before(async () => {
      stage = await startJudge(engine)
    })
    after(() => stage.stop())
    const get = (path: string, headers: Record<string, string> = {}) =>
      fetch(stage.url + path, { headers, redirect: 'manual' })

    if (engine === 'sqlite') {
      test('a browser gets the shell at every address of the page, a program what it got before', async () => {
        for (const path of ['/-/', '/-/judge', '/-/judge/problems/x', '/-/datasets/x', '/-/docs/forge', '/-/sign-in']) {
          const answer = await get(path, browser)
          assert.equal(answer.status, 200, path)
          assert.match(await answer.text(), /<div id="app">/, path)
          assert.match(answer.headers.get('vary') ?? '', /Accept/)
        }
        assert.equal((await get('/-/nobody/nothing', browser)).status, 404)
        assert.match(await (await get('/-/')).text(), /State: <a href="\/healthz">/)
        assert.match(await (await get('/-/docs/forge')).text(), /<h1 id=/)
        assert.equal((await get('/-/datasets/x')).headers.get('location'), '/v2/datasets/x/items?format=html')
      })

      test('the policy lets nothing inline and nothing from elsewhere in', async () => {
        const { headers } = await get('/-/', browser)
        const policy = headers.get('content-security-policy')!
        assert.doesNotMatch(policy, /unsafe|\*|https?:/)
        for (const part of [
          "default-src 'none'",
          "script-src 'self'",
          "style-src 'self'",
          "frame-ancestors 'none'",
          "base-uri 'none'",
        ])
          assert.ok(policy.includes(part), part)
        assert.equal(headers.get('x-content-type-options'), 'nosniff')
        assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin')
      })

      test('the first load is small, compressed once and cached for ever', async () => {
        const shell = await (await get('/-/', browser)).text()
        const scripts = [...shell.matchAll(/"(\/-\/assets\/[^"]+\.js)"/g)].map(([, path]) => path!)
        assert.ok(scripts.length > 0)
        let total = 0
        for (const path of scripts) {
          for (const encoding of ['gzip', 'br']) {
            const answer = await get(path, { 'accept-encoding': encoding })
            assert.equal(answer.headers.get('content-encoding'), encoding)
            assert.match(answer.headers.get('cache-control')!, /max-age=31536000, immutable/)
            if (encoding === 'gzip') total += Number(answer.headers.get('content-length'))
            await answer.arrayBuffer()
          }
          const plain = await get(path, { 'accept-encoding': 'identity' })
          assert.equal(plain.headers.get('content-encoding'), null)
          assert.match(plain.headers.get('content-type')!, /^text\/javascript/)
          await plain.arrayBuffer()
        }
        assert.ok(total <= mostScriptBytes, `${total} bytes`)
        const head = await fetch(stage.url + scripts[0], { method: 'HEAD' })
        assert.ok(Number(head.headers.get('content-length')) > 0)
        for (const path of ['/-/assets/none.js', '/-/assets/..%2f..%2fpackage.json', '/-/assets/manifest.json'])
          assert.equal((await get(path)).status, 404, path)
      })

      test('the page knows every document, and every address that an error points at is a place in it', async () => {
        const { documents } = (await (await get('/-/manifest.json')).json()) as { documents: Record<string, string> }
        for (const name of ['student', 'teacher', 'judge', 'forge', 'datasets', 'operating', 'index'])
          assert.ok(documents[name], name)
        const forge = (await (await get(`/-/assets/${documents.forge}`)).json()) as {
          html: string
          headings: { id: string }[]
        }
        const ids = forge.headings.map(({ id }) => id)
        for (const id of ['errors', 'preflight', 'about-primary-rate-limits', 'oauth', 'what-is-not-served'])
          assert.ok(ids.includes(id), id)
        assert.doesNotMatch(forge.html, /<!--|<script|style=/)
      })

      test('a thousand streams have one timer, and it ends with the last of them', async () => {
        const timers = [mock.method(globalThis, 'setInterval'), mock.method(globalThis, 'setTimeout')]
        const count = () => timers.reduce((sum, { mock: { calls } }) => sum + calls.length, 0)
        const account = (await stage.services.accounts.findByName('rival'))!
        const findVisibility = async () => () => 'shown' as const
        const findDeletionAudience = async () => () => true
        const live = makeLive({ onChange: () => () => {}, findVisibility, findDeletionAudience, log: silentLog })
        const none = count()
        const streams = await Promise.all(
          Array.from({ length: 1_000 }, (_, id) => live.open(actingFor({ ...account, id }), [id], undefined)),
        )
        assert.equal(live.countStreams(), 1_000)
        // The server beside it may have set one of its own meanwhile.
        assert.ok(count() - none < 10, `${count() - none} timers`)
        const beat = timers[0]!.mock.calls[0]!.result as unknown as { hasRef(): boolean; _destroyed: boolean }
        assert.equal(beat.hasRef(), false)
        for (const stream of streams) stream.destroy()
        await until(() => live.countStreams() === 0)
        assert.ok(beat._destroyed)
        live.close()
        // Through the wire, too: what a connection costs is counted with it.
        const few = count()
        const own = [stage.cast.rival.token, stage.cast.setter.token]
        const opened = await Promise.all(
          Array.from({ length: 30 }, (_, at) => follow('', undefined, own[at % own.length]!)),
        )
        await until(() => opened.every((stream) => stream.text().includes('retry:')))
        const made = timers[0]!.mock.calls.length
        assert.ok(count() - few < opened.length, `${count() - few} timers, ${made} of them again and again`)
        for (const { close } of opened) close()
        mock.restoreAll()
      })

      test('a token hears of submissions if it has the scope judge, as it reads them', async () => {
        const contestant = (await stage.services.accounts.findByName('contestant'))!
        const drafts = [
          { kind: 'classic', scopes: ['repo', 'dataset'] },
          { kind: 'fine-grained' },
          { kind: 'classic', scopes: ['judge'] },
        ] as const
        const statuses = drafts.map(async (draft) => {
          const { text } = await stage.services.tokens.make(contestant, draft)
          const { status, close } = await follow('', undefined, text)
          close()
          return status
        })
        assert.deepEqual(await Promise.all(statuses), [403, 403, 200])
      })

      test('a stream is for who has signed in, and nobody has more than some', async () => {
        assert.equal((await get('/-/live')).status, 401)
        const own = { authorization: `Bearer ${stage.cast.rival.token}` }
        assert.equal((await get('/-/live?submissions=1,x', own)).status, 422)
        assert.equal((await get(`/-/live?submissions=${'1,'.repeat(100)}1`, own)).status, 422)
        const token = stage.cast.rival.token
        const opened = await Promise.all(Array.from({ length: mostStreamsOfOne }, () => follow('', undefined, token)))
        const another = () => follow('', undefined, token)
        assert.equal((await another()).status, 403)
        opened[0]!.close()
        await until(async () => {
          const { status, close } = await another()
          close()
          return status === 200
        }, 50)
        for (const { close } of opened) close()
      })
    }

    test('a stream tells of each change of what it watches, and after a break of what was missed', async () => {
      const { contestant, setter, worker } = stage.cast
      const problem = await makeProblem(setter)
      const first = await submit(contestant, problem.UUID)
      const second = await submit(contestant, problem.UUID)
      const stream = await follow(`?submissions=${second.ID}`)
      await until(() => stream.text().includes('retry:'))
      await claim(worker)
      await finish(worker, first.ID)
      await claim(worker)
      await until(() => stream.events().length > 0)
      assert.deepEqual(new Set(stream.events().map(({ data }) => data)), new Set([`{"ID":${second.ID}}`]))
      const last = stream.lastId()
      stream.close()
      await finish(worker, second.ID)
      const resumed = await follow(`?submissions=${second.ID}`, last)
      await until(() => resumed.events().some(({ data }) => data === `{"ID":${second.ID}}`))
      resumed.close()
      for (const unknown of ['aaaaaaaa-7', `${last.slice(1)}x`, 'x'.repeat(22)]) {
        const lost = await follow('', unknown)
        await until(() => lost.events().some(({ name }) => name === 'resync'))
        lost.close()
      }
    })

    test('a stream tells nobody of submissions to a problem that is held, but who keeps it', async () => {
      const { contestant, rival, setter, worker, admin } = stage.cast
      const [held, open] = [await makeProblem(setter), await makeProblem(setter)]
      const hidden = await submit(contestant, held.UUID)
      await setter.call('update_problem_judging', { UUID: held.UUID, Judging: { IsHeld: true } })
      const streams = await Promise.all([
        follow('', undefined, rival.token),
        follow(`?submissions=${hidden.ID}`, undefined, rival.token),
        follow('', undefined, setter.token),
        follow(`?submissions=${hidden.ID}`, undefined, admin.token),
      ])
      const [strangers, guess, keepers, admins] = streams
      await until(() => streams.every((stream) => stream.text().includes('retry:')))
      const before = strangers!.lastId()
      const places = streams.map((stream) => stream.lastId())
      assert.equal(new Set(places).size, places.length, 'no id tells how much happened since another')
      await claim(worker)
      await finish(worker, hidden.ID)
      const shown = await submit(contestant, open.UUID)
      await claim(worker)
      await finish(worker, shown.ID)
      const tells = (stream: Awaited<ReturnType<typeof follow>>, { ID }: Json) =>
        stream.events().some(({ data }) => data === `{"ID":${ID}}`)
      await until(() => tells(strangers!, shown) && tells(keepers!, shown) && tells(admins!, hidden))
      assert.deepEqual([tells(strangers!, hidden), tells(keepers!, hidden), guess!.events()], [false, true, []])
      await admin.call('delete_submission', { ID: hidden.ID })
      const resyncs = (stream: Awaited<ReturnType<typeof follow>>) =>
        stream.events().filter(({ name }) => name === 'resync').length
      await until(() => resyncs(keepers!) === 1)
      const resumed = await follow('', before, rival.token)
      await until(() => tells(resumed, shown))
      assert.deepEqual([tells(strangers!, hidden), tells(resumed, hidden), guess!.events()], [false, false, []])
      assert.deepEqual([resyncs(strangers!), resyncs(resumed)], [0, 0], 'nobody hears that something hidden is gone')
      const more = await Promise.all(Array.from({ length: 20 }, () => submit(contestant, open.UUID)))
      await Promise.all([shown, ...more].map(({ ID }) => admin.call('delete_submission', { ID })))
      await until(() => resyncs(strangers!) > 1 && resyncs(keepers!) > 1)
      assert.ok(resyncs(strangers!) < more.length, 'many deletions are one look')
      assert.deepEqual([tells(strangers!, more[0]), guess!.events()], [false, []])
      for (const { close } of [...streams, resumed]) close()
    })

    test('a stream tells of the deletion of a problem as of its submissions', async () => {
      const { contestant, rival, setter } = stage.cast
      const [held, open] = [await makeProblem(setter), await makeProblem(setter)]
      const [hidden, shown] = [await submit(contestant, held.UUID), await submit(contestant, open.UUID)]
      await setter.call('update_problem_judging', { UUID: held.UUID, Judging: { IsHeld: true } })
      const streams = await Promise.all([
        follow('', undefined, rival.token),
        follow(`?submissions=${shown.ID},${hidden.ID}`, undefined, rival.token),
        follow('', undefined, setter.token),
      ])
      const [strangers, watching, keepers] = streams
      await until(() => streams.every((stream) => stream.text().includes('retry:')))
      const names = (stream: Awaited<ReturnType<typeof follow>>) => stream.events().map(({ name }) => name)
      await setter.call('delete_problem', { UUID: held.UUID })
      await until(() => names(keepers!).includes('resync'))
      assert.deepEqual([strangers!.events(), watching!.events()], [[], []])
      await setter.call('delete_problem', { UUID: open.UUID })
      await until(() => names(strangers!).includes('resync') && watching!.events().length > 0)
      assert.deepEqual(
        [names(strangers!), watching!.events().map(({ data }) => data)],
        [['resync'], [`{"ID":${shown.ID}}`]],
      )
      for (const { close } of streams) close()
    })

    if (engine === 'postgres')
      test('a stream of one server tells of what is handed in, judged and finished at another', async () => {
        const other = await startServer('postgres', { database: stage.database })
        const there = (by: RpcClient) => makeRpcClient(other.url, by.token)
        const { contestant, setter, worker } = stage.cast
        const problem = await makeProblem(there(setter))
        const { ID } = await submit(there(contestant), problem.UUID)
        const [one, all] = [await follow(`?submissions=${ID}`), await follow('', undefined, setter.token)]
        const seen = (stream: typeof one) => stream.events().filter(({ data }) => data === `{"ID":${ID}}`).length
        await until(() => one.text().includes('retry:') && all.text().includes('retry:'))
        await claim(there(worker))
        await until(() => seen(one) > 0 && seen(all) > 0)
        await finish(there(worker), ID)
        await until(() => seen(one) > 1 && seen(all) > 1)
        one.close()
        all.close()
        await other.stop()
      })

    /** As a browser's EventSource would read it. Fetch would open a connection in advance for each that it aborts. */
    async function follow(query: string, lastEventId?: string, token = stage.cast.contestant.token) {
      const headers = { authorization: `Bearer ${token}`, ...(lastEventId && { 'last-event-id': lastEventId }) }
      const request = http.get(`${stage.url}/-/live${query}`, { headers, agent: false })
      const [response] = (await once(request, 'response')) as [IncomingMessage]
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      response.on('error', () => {})
      return {
        status: response.statusCode,
        text: () => text,
        events: () =>
          [...text.matchAll(/event: (\w+)\ndata: (.*)\n/g)].map(([, name = '', data = '']) => ({ name, data })),
        lastId: () => [...text.matchAll(/^id: (.*)$/gm)].at(-1)![1]!,
        close: () => request.destroy(),
      }
    }
  })
