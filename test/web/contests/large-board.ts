/** A board of five thousand teams: only the rows that are seen are in the document, and every team is found. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeProblem } from '../../support/judge.ts'
import type { Json } from '../../support/rpc.ts'
import { until } from '../../support/until.ts'
import { see, show } from '../hands.ts'
import { type ContestWorld, minute } from './contest-world.ts'

declare const window: Json

export const largeId = 'large'
const teams = 5_000
const labels = 'ABCDEFGHIJKLMNO'

/** As if they had been put one by one, and had solved more the earlier they came. */
export async function fillLargeContest({ stage, clock }: ContestWorld): Promise<void> {
  const { admin } = stage.cast
  const draft = { ID: largeId, Name: 'A large contest', Style: 'icpc', Duration: 300 * minute, IsPublic: true }
  await admin.call('create_contest', { ...draft, StartTime: clock.now() - 200 * minute })
  for (const [Ordinal, Label] of [...labels].entries()) {
    const { UUID } = await makeProblem(admin, { DisplayName: `Problem ${Label}` })
    const Colour = `#${((Ordinal * 1_118_481 + 3_355_443) % 16_777_216).toString(16).padStart(6, '0')}`
    await admin.call('put_contest_problem', { ContestID: largeId, ID: Label, Label, UUID, Ordinal, Colour })
  }
  await stage.services.store.write(async (trx) => {
    const { id: contest_id } = await trx
      .selectFrom('contest')
      .select('id')
      .where('public_id', '=', largeId)
      .executeTakeFirstOrThrow()
    const problems = await trx.selectFrom('contest_problem').select('id').where('contest_id', '=', contest_id).execute()
    for (let at = 0; at < teams; at += 100) {
      const numbers = Array.from({ length: 100 }, (_, i) => at + i)
      const rows = await trx
        .insertInto('contest_team')
        .values(
          numbers.map((number) => ({
            contest_id,
            public_id: `t${number}`,
            label: String(number),
            name: `Team ${String(number).padStart(4, '0')} of the university`,
            organisation_id: null,
            extra_penalty: 0,
            is_hidden: 0,
          })),
        )
        .returning('id')
        .execute()
      const solvedBy = (number: number) => Math.max(0, 15 - Math.floor(number / 320))
      await trx
        .insertInto('contest_row')
        .values(
          rows.map(({ id }, i) => ({
            contest_id,
            team_id: id,
            edition: 0,
            solved: solvedBy(at + i),
            penalty: 100 + at + i,
            last_minute: 100,
            score: 0,
            last_ms: 100 * minute,
          })),
        )
        .execute()
      for (const [place, problem] of problems.entries())
        await trx
          .insertInto('contest_cell')
          .values(
            rows.map(({ id }, i) => {
              const isSolved = place < solvedBy(at + i)
              return {
                contest_id,
                team_id: id,
                contest_problem_id: problem.id,
                edition: 0,
                judged: (place + i) % 3,
                pending: !isSolved && i % 7 === 0 ? 1 : 0,
                is_solved: Number(isSolved),
                solved_ms: isSolved ? (10 + place) * minute : null,
                solved_by: isSolved ? 1 : null,
                pending_ms: null,
                pending_id: null,
                score: null,
                finished: 1,
              }
            }),
          )
          .execute()
    }
  })
}

export function testLargeBoard(world: ContestWorld): void {
  test('of five thousand teams those that are seen are in the document, wherever one scrolls, and each is found', async () => {
    await fillLargeContest(world)
    const { page } = await world.stage.open()
    await show(page, `/-/contests/${largeId}/board`)
    await see(page, 'Team 0000')
    const body = page.locator('.board tbody').last()
    const count = () => body.locator('tr:not(.board-space)').count()
    assert.equal(await page.locator('.board').getAttribute('aria-rowcount'), '5001')
    assert.ok((await count()) < 100, `${await count()} rows`)
    for (const [part, name] of [
      [0.5, /Team 2[45]/],
      [1, /Team 4999/],
      [0, /Team 0000/],
    ] as const) {
      await page.evaluate((share) => {
        const { document } = window
        window.scrollTo(0, share * document.documentElement.scrollHeight)
      }, part)
      await body.getByText(name).first().waitFor({ timeout: 60_000 })
      assert.ok((await count()) < 100, `${await count()} rows at ${part}`)
    }
    await page.getByLabel('Find a team').fill('team 4321')
    await until(async () => (await count()) === 1)
    await body.getByRole('button', { name: /^Follow Team 4321/ }).click()
    await page.getByLabel('Find a team').fill('')
    await page.evaluate(() => window.scrollTo(0, 20_000))
    const pinned = page.locator('.pinned tr')
    assert.match((await pinned.textContent())!, /Team 4321/)
    // It stays in sight.
    await until(async () => {
      const box = await pinned.boundingBox()
      return box !== null && box.y >= 0 && box.y < 200
    })
  })
}
