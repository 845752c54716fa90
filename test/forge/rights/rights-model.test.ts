/** What the server lets happen and shows, in random worlds, is what a model of the rights says. */
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { makeManualClock } from '../../../src/lib/clock.ts'
import { engines } from '../../support/engines.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { describeFinding, explore, replay } from './exploring.ts'
import { isKnown } from './known-breaches.ts'
import { onceWrong } from './once-wrong.ts'
import { makeRandom } from './random.ts'
import { tryGit } from './real-git.ts'

/** About ten seconds of processor time; `npm run bench rights` goes on for as long as one likes. */
const steps = { sqlite: 600, postgres: 250 }
const gitTries = 16

for (const engine of engines) {
  describe(`the model of the rights on ${engine}`, () => {
    const clock = makeManualClock(Date.now())
    let server: TestServer
    before(async () => {
      server = await startServer(engine, { clock, environment: { GUILDHALL_LIMITS: 'off' } })
    })
    after(() => server.stop())

    for (const { what, steps } of onceWrong) {
      test(`it is not so that ${what}`, async () => {
        const found = await replay(server, clock, steps)
        assert.equal(found && `${JSON.stringify(steps[found.at])}: ${found.breach.message}`, undefined)
      })
    }

    test('random acts in random worlds come out as the model says, and so does git', async (context) => {
      const seed = randomInt(2 ** 31)
      context.diagnostic(`seed ${seed}`)
      const random = makeRandom(seed)
      const refused: string[] = []
      let tries = gitTries
      const { findings } = await explore(server, clock, {
        seed,
        steps: steps[engine],
        isKnown,
        async atEnd(stage) {
          refused.push(...(await tryGit(server.url, stage, clock, random, tries)))
          tries = 0
        },
      })
      assert.equal(findings.map(describeFinding).join('\n\n'), '', `seed ${seed}`)
      assert.deepEqual(refused, [], `seed ${seed}`)
    })
  })
}
