/** Tidying a repository that goes away meanwhile. */
import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type LogLines, makeLogLines } from '../support/log-lines.ts'
import { asAdmin } from '../support/rest.ts'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer
let lines: LogLines
let folder: string
const { PATH } = process.env
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'guildhall-tidy-'))
  // A git that begins to pack and does not go on before it is told.
  await writeFile(
    join(folder, 'git'),
    `#!/bin/sh
PATH='${PATH}'
case " $* " in *' gc '*) touch '${folder}/begun'; until [ -e '${folder}/go' ]; do sleep 0.02; done ;; esac
exec git "$@"
`,
  )
  await chmod(join(folder, 'git'), 0o755)
  process.env.PATH = `${folder}:${PATH}`
  lines = makeLogLines()
  server = await startServer('sqlite', { log: lines.log })
})
after(async () => {
  process.env.PATH = PATH
  await server.stop()
  await rm(folder, { recursive: true, force: true })
})

test('a repository that is deleted while it is tidied leaves no word in the log', async () => {
  const admin = asAdmin(server)
  assert.equal((await admin.post('/user/repos', { name: 'brief', auto_init: true })).status, 201)
  const jobs = () => server.services.store.db.selectFrom('job').selectAll().where('kind', '=', 'forge.tidy').execute()
  while ((await jobs())[0]?.state !== 'running') await sleep(20)
  assert.equal((await admin.delete('/repos/admin/brief')).status, 204)
  await writeFile(join(folder, 'go'), '')
  while ((await jobs())[0]?.state === 'running') await sleep(20)
  const [job] = await jobs()
  assert.deepEqual([job!.state, job!.error], ['done', null])
  assert.deepEqual(lines.find(/a job failed/), [])
})
