/** A server whose clock is hours ahead starts, or sweeps, while another makes a backup in the folder that both share. */
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { removeForgottenStages, touchStage } from '../../src/store/files/backup-stages.ts'
import { readFolderTime } from '../../src/store/files/folder-time.ts'

test('a backup under way is left alone by a server whose clock is ahead, and a forgotten one goes', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-stages-'))
  t.after(() => rm(folder, { recursive: true }))
  const [running, forgotten] = [join(folder, '.backup-running'), join(folder, '.backup-forgotten')]
  await mkdir(running)
  await mkdir(forgotten)
  const anHourAgo = new Date(Date.now() - 3_600_000)
  await utimes(forgotten, anHourAgo, anHourAgo)
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 2 * 3_600_000 })
  await removeForgottenStages(folder, true)
  assert.deepEqual(await readdir(folder), ['.backup-running'])
  await touchStage(running)
  t.mock.timers.reset()
  await removeForgottenStages(folder, true)
  assert.deepEqual(await readdir(folder), ['.backup-running'])
  assert.ok(Math.abs((await readFolderTime(folder)) - Date.now()) < 60_000)
})
