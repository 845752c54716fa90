/**
 * A short contest on two servers over one PostgreSQL that are killed meanwhile: what was answered is there once, the board is
 * what all submissions come to, and feeds that went on elsewhere have what the lists have.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { toContest } from '../../../src/judge/contest-access/contest.ts'
import { recomputeContest } from '../../../src/judge/contests/board/recomputing.ts'
import { hasWhatListsHave, makeFeedClient } from '../../api/contest-api/feed-client.ts'
import { type Json, makeRpcClient } from '../../support/rpc.ts'
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts'
import { until } from '../../support/until.ts'
import { hour, minute, startContests } from './contest-stage.ts'

const teamCount = 20
const submissionsOfATeam = 10
const kills = 3

test('a contest of twenty teams whose servers are killed loses nothing and counts nothing twice', async () => {
  const stage = await startContests('postgres', {})
  const servers: ServerProcess[] = []
  const begin = async (at: number) => {
    servers[at] = await startServerProcess(stage.database)
  }
  await Promise.all([begin(0), begin(1)])
  let turn = 0
  const next = () => servers[turn++ % servers.length]!.url
  let isOver = false
  try {
    const { services } = stage
    const StartTime = Date.now() - 10 * minute
    const { ContestID } = await stage.makeContest({ StartTime, Duration: 5 * hour }, 'ABC')
    const tokens: string[] = []
    for (let i = 0; i < teamCount; i++) {
      const account = await services.accounts.insert({
        name: `team-${i}`,
        displayName: `Team ${i}`,
        role: 'contestant',
      })
      tokens.push((await services.tokens.make(account, { kind: 'classic', scopes: ['judge'] })).text)
      const team = { ContestID, ID: `team${i}`, Name: `Team ${i}`, AccountNameList: [account.name] }
      await stage.cast.setter.call('put_contest_team', team)
    }
    const feedOf = () => `${next()}/api/contests/${ContestID}/event-feed`
    const readers = [undefined, tokens[0], stage.cast.setter.token].map((token) => ({
      token,
      client: makeFeedClient(feedOf, token),
    }))

    /** What was answered: the id and what was handed in. */
    const answered = new Map<number, string>()
    let tried = 0
    const handIn = async (team: number) => {
      for (let i = 0; i < submissionsOfATeam; i++) {
        tried++
        const Result = [6, 1, 3, 2, 1][(team * 7 + i) % 5]
        const Content = `${team} ${i} ${Result}`
        const draft = { ContestID, ProblemID: 'abc'[(team + i) % 3], Language: 'python', Content }
        try {
          const { SubmissionSnippet } = await makeRpcClient(next(), tokens[team]).call(
            'create_contest_submission',
            draft,
          )
          assert.ok(!answered.has(SubmissionSnippet.ID))
          answered.set(SubmissionSnippet.ID, Content)
        } catch (error) {
          if (error instanceof assert.AssertionError) throw error
          // It may be there or not: nobody was told.
        }
      }
    }
    /** Its results stand in what is handed in. */
    const judge = async () => {
      while (!isOver)
        try {
          const worker = makeRpcClient(next(), stage.cast.worker.token)
          const method = 'get_and_update_first_submitted_submission_to_executing'
          const { Submission } = await worker.call(method, { WaitMillisecond: 200 })
          const Result = Number(Submission.Content.split(' ')[2])
          await worker.call('update_submission', { ID: Submission.ID, Status: 3, Result })
        } catch {}
    }
    const ignored = new Set<number>()
    const ignore = async () => {
      while (!isOver) {
        const ID = [...answered.keys()].find((id) => id % 13 === 0 && !ignored.has(id))
        if (ID === undefined) {
          await new Promise((resolve) => setTimeout(resolve, 20))
          continue
        }
        const by = makeRpcClient(next(), stage.cast.setter.token)
        const isDone = await by.call('ignore_submission', { ID, IsIgnored: true }).catch(() => undefined)
        if (isDone) ignored.add(ID)
      }
    }
    const killing = async () => {
      for (let i = 1; i <= kills; i++) {
        await until(() => tried >= (i * teamCount * submissionsOfATeam) / (kills + 1))
        await servers[i % 2]!.end('SIGKILL')
        await begin(i % 2)
      }
    }
    const others = [judge(), judge(), judge(), ignore()]
    await Promise.all([...tokens.map((_, team) => handIn(team)), killing()])

    const { admin } = stage.cast
    const list = async (): Promise<Json[]> => {
      const { SubmissionSnippetList } = await admin.call('find_submission_snippet_list', { ContestID, Limit: 100 })
      const all = [...SubmissionSnippetList]
      for (let last = all; last.length === 100; ) {
        const more = { ContestID, Limit: 100, BeforeID: all.at(-1)!.ID }
        last = (await admin.call('find_submission_snippet_list', more)).SubmissionSnippetList
        all.push(...last)
      }
      return all
    }
    await until(async () => (await list()).every(({ Status }) => Status !== 1))
    isOver = true
    await Promise.all(others)
    // What an executor was given as the server died is its no longer.
    for (const { ID } of (await list()).filter(({ Status }) => Status === 2)) {
      const { Submission } = await admin.call('get_submission', { ID })
      await admin.call('update_submission', { ID, Status: 3, Result: Number(Submission.Content.split(' ')[2]) })
    }
    const stored = await list()
    const contents = new Map<number, string>()
    for (const { ID, Result } of stored) {
      const { Content } = (await admin.call('get_submission', { ID })).Submission
      contents.set(ID, Content)
      assert.equal(Result, Number(Content.split(' ')[2]), Content)
    }
    assert.equal(new Set(contents.values()).size, stored.length)
    for (const [id, content] of answered) assert.equal(contents.get(id), content)

    const { db } = services.store
    const contest = toContest(
      await db.selectFrom('contest').selectAll().where('public_id', '=', ContestID).executeTakeFirstOrThrow(),
    )
    const readTables = async () => ({
      cells: await db.selectFrom('contest_cell').selectAll().where('contest_id', '=', contest.id).execute(),
      rows: await db.selectFrom('contest_row').selectAll().where('contest_id', '=', contest.id).execute(),
    })
    const sorted = ({ cells, rows }: Awaited<ReturnType<typeof readTables>>) =>
      [...cells.filter(({ judged, finished, pending }) => judged + finished + pending > 0), ...rows]
        .map((row) => JSON.stringify(row))
        .sort()
    const kept = sorted(await readTables())
    await services.store.write((trx) => recomputeContest(trx, contest))
    assert.deepEqual(kept, sorted(await readTables()))

    for (const { client, token } of readers) {
      const { isAlike, demand } = hasWhatListsHave(client, () => stage.url, ContestID, token)
      await until(isAlike).catch(() => demand(`${token}`))
    }
    await Promise.all(readers.map(({ client }) => client.leave()))
    const boards = async () =>
      Promise.all(
        [stage.url, ...servers.map(({ url }) => url)].map(
          async (url) =>
            (await makeRpcClient(url, stage.cast.setter.token).call('get_scoreboard', { ContestID })).Scoreboard
              .RowList,
        ),
      )
    await until(async () => {
      const [first, ...rest] = await boards()
      return rest.every((one) => isDeepStrictEqual(one, first))
    })
  } finally {
    isOver = true
    await Promise.all(servers.map((server) => server.end()))
    await stage.stop()
  }
})
