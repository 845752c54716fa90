/** Certificates of awards: once a contest is final, for whoever may see them, and safe whatever teams call themselves. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SaxesParser } from 'saxes'
import { makeManualClock } from '../../../src/lib/clock.ts'
import { oneEngine } from '../../support/engines.ts'
import { handIn, hour, startContests } from './contest-stage.ts'

/** The texts of a document that is well formed, and the names of its elements. */
function readSvg(svg: string): { texts: string[]; names: Set<string> } {
  const [texts, names] = [[] as string[], new Set<string>()]
  const parser = new SaxesParser()
  parser.on('error', (error) => assert.fail(error.message))
  parser.on('opentag', ({ name }) => names.add(name))
  parser.on('text', (text) => text.trim() && texts.push(text))
  parser.write(svg).close()
  return { texts, names }
}

for (const engine of oneEngine)
  test('a certificate names award, team and contest, and whatever a team is called is text', async () => {
    const clock = makeManualClock()
    const stage = await startContests(engine, { clock })
    try {
      const { setter, contestant, anonymous, rival } = stage.cast
      const { ContestID } = await stage.makeContest({
        StartTime: clock.now(),
        Duration: hour,
        FormalName: 'A & B <Cup>',
      })
      const Name = `"><script>alert('1')</script> & \u0007 ${'x'.repeat(80)}`
      await setter.call('put_contest_team', { ContestID, ID: 't1', Name, AccountNameList: ['contestant'] })
      await handIn(contestant, ContestID, 'a')
      await stage.judgeNext(1)
      const get = (by: { token: string | undefined }, path: string) => {
        const headers: Record<string, string> = by.token ? { authorization: `Bearer ${by.token}` } : {}
        return fetch(`${stage.url}/-/judge/contests/${ContestID}/awards/${path}`, { headers })
      }
      assert.equal((await get(setter, 'winner/t1.svg')).status, 409)
      clock.advance(hour)
      await setter.call('finalize_contest', { ContestID })
      clock.advance(2_000)
      for (const by of [anonymous, rival, contestant, setter]) {
        const response = await get(by, 'winner/t1.svg')
        assert.equal(response.status, 200)
        assert.equal(response.headers.get('content-type'), 'image/svg+xml')
        assert.match(response.headers.get('content-security-policy')!, /default-src 'none'.*sandbox/)
        const { texts, names } = readSvg(await response.text())
        assert.deepEqual([...names].sort(), ['g', 'rect', 'svg', 'text', 'title'])
        for (const text of ['A & B <Cup>', 'Contest winner', Name.replace('\u0007', '\ufffd')])
          assert.ok(texts.includes(text), text)
        const isOfTeam = by === contestant || by === setter
        assert.equal(texts.includes('contestant'), isOfTeam)
      }
      for (const path of ['winner/t2.svg', 'winner/none.svg', 'none/t1.svg', 'winner/t1.png'])
        assert.equal((await get(setter, path)).status, 404, path)
    } finally {
      await stage.stop()
    }
  })
