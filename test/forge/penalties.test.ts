/** Who goes on while limited: waits that grow, across windows, and bans that are lifted and set again. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseFigures } from '../../src/forge/limits/figures.ts'
import { makePenalties } from '../../src/forge/limits/penalties.ts'
import { makeManualClock } from '../../src/lib/clock.ts'
import { engines } from '../support/engines.ts'
import { asAdmin, makeRest, makeToken, makeUser } from '../support/rest.ts'
import { startServer } from '../support/server.ts'

const minuteMs = 60_000

describe('penalties', () => {
  const make = (figures: string) => {
    const clock = makeManualClock()
    const penalties = makePenalties({ clock, figures: parseFigures(figures) })
    const strike = (times: number) => {
      let until = 0
      for (let i = 0; i < times; i++) until = penalties.strike('key', clock.now() + minuteMs)
      return until - clock.now()
    }
    return { clock, penalties, strike }
  }

  test('the wait doubles with every further lot of refusals, up to an hour', () => {
    const { strike, penalties } = make('patience=10')
    const table = [
      [9, 1],
      [1, 2],
      [9, 2],
      [1, 4],
      [10, 8],
      [10, 16],
      [10, 32],
      [10, 60],
      [50, 60],
    ] as const
    for (const [more, minutes] of table) assert.equal(strike(more), minutes * minuteMs)
    assert.equal(penalties.closedUntil('other'), 0, 'each budget for itself')
  })

  test('a wait is forgotten neither with the window that it came of nor with the hour, but when it is over', () => {
    const { clock, strike, penalties } = make('patience=10')
    strike(10)
    clock.advance(minuteMs)
    assert.ok(penalties.closedUntil('key') > 0, 'the window is over, the wait is not')
    clock.advance(minuteMs)
    assert.equal(penalties.closedUntil('key'), 0)
    clock.advance(57 * minuteMs)
    assert.equal(strike(50), 60 * minuteMs, 'what came before in this hour counts')
    clock.advance(2 * minuteMs)
    assert.equal(strike(1), 60 * minuteMs, 'who goes on after the hour of the first refusal is still waiting')
    assert.ok(penalties.closedUntil('key') > 0)
    clock.advance(60 * minuteMs)
    assert.equal(penalties.closedUntil('key'), 0)
    assert.equal(strike(1), minuteMs, 'and begins anew')
  })

  test('a ban is due at every so many refusals of a token, whatever it was refused', () => {
    const { clock, penalties } = make('ban-after=5')
    const due = () => Array.from({ length: 5 }, () => penalties.isBanDue(7))
    assert.deepEqual(due(), [false, false, false, false, true])
    assert.deepEqual(due(), [false, false, false, false, true])
    assert.equal(penalties.isBanDue(8), false)
    for (let i = 0; i < 3; i++) penalties.isBanDue(7)
    clock.advance(60 * minuteMs)
    assert.deepEqual(due(), [false, false, false, false, true], 'after an hour what was before is forgotten')
  })
})

for (const engine of engines) {
  test(`a ban is lifted, and set again for one who goes on, on ${engine}`, async (t) => {
    const clock = makeManualClock(Date.now())
    const environment = { GUILDHALL_LIMIT_FIGURES: 'points=10, patience=1000, ban-after=8' }
    const server = await startServer(engine, { clock, environment })
    t.after(() => server.stop())
    const root = asAdmin(server)
    const dan = await makeUser(server, 'dan')
    const other = makeRest(server.url, await makeToken(server, 'dan', { kind: 'classic' }))
    const [token] = await server.services.tokens.list({ id: 2 } as never)
    const goOn = async (times: number) => {
      for (let i = 0; i < times; i++) assert.equal((await dan.get('/meta')).status, 403)
    }
    const isBanned = async () => /is banned/.test((await dan.get('/versions')).body.message ?? '')

    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 10; i++) assert.equal((await dan.get('/meta')).status, 200)
      await goOn(7)
      assert.equal(await isBanned(), false, 'one refusal is left')
      await goOn(1)
      assert.equal(await isBanned(), true)
      assert.equal((await other.get('/versions')).status, 200, 'the token is banned, not its owner')
      clock.advance(24 * 60 * minuteMs)
      assert.equal(await isBanned(), true, 'no reset ends a ban')
      assert.equal((await root.delete(`/admin/tokens/${token!.id}/ban`)).status, 204)
      assert.equal(await isBanned(), false)
    }
    assert.equal((await root.delete('/admin/tokens/99999/ban')).status, 404)
    assert.equal((await dan.delete(`/admin/tokens/${token!.id}/ban`)).status, 403)
  })
}
