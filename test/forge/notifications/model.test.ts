/** Random acts by random people come out as a model of the contract says, on both databases. */
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { describe, test } from 'node:test'
import { engines } from '../../support/engines.ts'
import { makeUser } from '../../support/rest.ts'
import { startServer } from '../../support/server.ts'
import { prepare, walk } from './model.ts'

/** A few seconds; `npm run bench notifications-model` goes on for as long as one likes. */
const steps = { sqlite: 250, postgres: 120 }

describe('the model of notifications', () => {
  for (const engine of engines)
    test(`holds on ${engine}`, async (context) => {
      const server = await startServer(engine, { environment: { GUILDHALL_LIMITS: 'off' } })
      context.after(() => server.stop())
      const [ann, bob] = [await makeUser(server, 'ann'), await makeUser(server, 'bob')]
      const clients = { ann, bob, cid: await makeUser(server, 'cid'), dan: await makeUser(server, 'dan') }
      const repository = await prepare(clients, 'walked')
      const seed = randomInt(2 ** 31)
      context.diagnostic(`seed ${seed}`)
      assert.equal(await walk(clients, { repository, seed, steps: steps[engine] }), undefined)
    })
})
