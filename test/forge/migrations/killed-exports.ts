/** Exports under kills: a server is killed while it exports, started again, and what came of it is looked at. */
import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeMigratedDatabase } from '../../support/engines.ts'
import { makeRest } from '../../support/rest.ts'
import { admin, startServer } from '../../support/server.ts'
import { startServerProcess } from '../../support/server-process.ts'
import { awaitExport, download, findFaults, unpack } from './exports.ts'
import { makeLargeRepository } from './many-records.ts'

/** Answers what happened, in words. */
export async function killExports(kills: number, afterwards: (drop: () => Promise<unknown>) => void): Promise<string> {
  const database = await makeMigratedDatabase('sqlite')
  afterwards(database.drop)
  const environment = {
    GUILDHALL_ADMIN_PASSWORD: admin.password,
    GUILDHALL_ADMIN_TOKEN: admin.token,
    GUILDHALL_LIMITS: 'off',
  }
  await prepare(database, environment)
  let server = await startServerProcess(database, environment)
  afterwards(() => server.end())
  const states: string[] = []
  for (let kill = 0; kill < kills; kill++) {
    const origin = server.url
    const { body } = await makeRest(origin, admin.token).post('/user/migrations', { repositories: ['large'] })
    // From the first moment to the last steps, an export of this repository takes about half a second; every second one is
    // killed once more while it is taken up again.
    for (let again = 0; again <= kill % 2; again++) {
      await sleep(Math.random() * 900)
      await server.end()
      server = await startServerProcess(database, environment)
    }
    const root = makeRest(server.url, admin.token)
    const { state, failure_reason } = await awaitExport(root, body.id)
    states.push(state)
    if (state === 'failed') assert.ok(failure_reason)
    else await lookAt(await unpack(await download(root, body.id)), origin)
    await lookForLeftovers(database.folder, states.length)
    // An account keeps ten at most.
    await root.delete(`/user/migrations/${body.id}/archive`)
  }
  const exported = states.filter((state) => state === 'exported').length
  return `${kills} kills: ${exported} exported, ${states.length - exported} failed`
}

async function prepare(
  database: Awaited<ReturnType<typeof makeMigratedDatabase>>,
  environment: Record<string, string>,
) {
  const server = await startServer('sqlite', { database, environment })
  await makeLargeRepository(server, 8, { issues: 1_000, events: 3_000, comments: 1_000 })
  await server.stop()
}

async function lookAt(archive: Awaited<ReturnType<typeof unpack>>, origin: string): Promise<void> {
  try {
    assert.deepEqual(await findFaults(archive, origin), [])
    assert.equal((await archive.records('issues')).length, 1_000)
    assert.equal((await archive.records('issue_events')).length, 3_000)
  } finally {
    await archive.drop()
  }
}

/** A migration has one archive at most; beside them there is nothing that was being made. */
async function lookForLeftovers(folder: string, migrations: number): Promise<void> {
  const blobs = join(folder, 'blobs', 'migrations')
  assert.deepEqual(await readdir(join(blobs, 'coming')), [])
  const shards = (await readdir(blobs)).filter((name) => name !== 'coming')
  const archives = (await Promise.all(shards.map((shard) => readdir(join(blobs, shard))))).flat()
  assert.ok(archives.length <= migrations, String(archives))
  const stages = (await readdir(join(folder, 'temporary'))).filter((name) => name.startsWith('migration-'))
  assert.deepEqual(stages, [])
}
