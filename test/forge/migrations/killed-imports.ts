/** Imports under kills: a server is killed while it imports, started again, and what came of it is looked at. */
import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeMigratedDatabase, type TestDatabase } from '../../support/engines.ts'
import { makeWorkingFolder, remoteUrl } from '../../support/git.ts'
import { makeRest, type RestClient } from '../../support/rest.ts'
import { admin, startServer } from '../../support/server.ts'
import { startServerProcess } from '../../support/server-process.ts'
import { download, exportAll } from './exports.ts'
import { awaitImport, handIn } from './imports.ts'
import { makeLargeRepository } from './many-records.ts'

const amounts = { issues: 600, events: 1_500, comments: 600 }
const environment = {
  GUILDHALL_ADMIN_PASSWORD: admin.password,
  GUILDHALL_ADMIN_TOKEN: admin.token,
  GUILDHALL_LIMITS: 'off',
}

/** Answers what happened, in words. */
export async function killImports(kills: number, afterwards: (drop: () => Promise<unknown>) => void): Promise<string> {
  const archive = await makeArchive()
  const database = await makeMigratedDatabase('sqlite')
  afterwards(database.drop)
  // The first start makes the database and the admin.
  await (await startServer('sqlite', { database, environment })).stop()
  let server = await startServerProcess(database, environment)
  afterwards(() => server.end())
  const states: string[] = []
  for (let kill = 0; kill < kills; kill++) {
    const { id } = await handIn(makeRest(server.url, admin.token), archive)
    // From the first moment to the last steps: an import of this archive takes about a second.
    await sleep(Math.random() * 1_500)
    await server.end()
    server = await startServerProcess(database, environment)
    const root = makeRest(server.url, admin.token)
    const { state, failure_reason } = await awaitImport(root, id)
    states.push(state)
    if (state === 'failed') assert.ok(failure_reason)
    await lookAt(root, state === 'imported', server.url)
    await lookForLeftovers(database)
    if (state === 'imported') assert.equal((await root.delete('/repos/admin/large')).status, 204)
  }
  const imported = states.filter((state) => state === 'imported').length
  return `${kills} kills: ${imported} imported, ${states.length - imported} failed`
}

async function makeArchive(): Promise<Buffer> {
  const server = await startServer('sqlite', { environment: { GUILDHALL_LIMITS: 'off' } })
  try {
    await makeLargeRepository(server, 4, amounts)
    const root = makeRest(server.url, admin.token)
    return await download(root, (await exportAll(root, { repositories: ['large'] })).id)
  } finally {
    await server.stop()
  }
}

/** Whole, or not there at all. */
async function lookAt(root: RestClient, isThere: boolean, url: string): Promise<void> {
  const found = await root.get('/repos/admin/large')
  assert.equal(found.status, isThere ? 200 : 404)
  if (!isThere) return
  const last = await root.get(`/repos/admin/large/issues/${amounts.issues}`)
  assert.equal(last.status, 200, last.text)
  const comments = await root.get('/repos/admin/large/issues/comments?per_page=1')
  assert.match(comments.headers.get('link')!, new RegExp(`page=${amounts.comments}>; rel="last"`))
  const work = await makeWorkingFolder()
  try {
    await work.must('fetch', '--quiet', remoteUrl(url, 'admin/large', admin.name, admin.token), 'main')
    await work.must('fsck', '--strict')
  } finally {
    await work.drop()
  }
}

/** Neither what was being unpacked, nor half of a repository. */
async function lookForLeftovers({ folder }: TestDatabase): Promise<void> {
  const stages = (await readdir(join(folder, 'temporary'))).filter((name) => name.startsWith('import-'))
  assert.deepEqual(stages, [])
  assert.deepEqual(await readdir(join(folder, 'repositories', 'coming')), [])
}
