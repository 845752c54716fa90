/** The processes that start boxes: all are there before the first box, since later ones would count the machine's sessions. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeBoxStarter } from '../../../src/executor/sandboxes/boxes/box-starter.ts'
import { listChildren } from '../../../src/executor/sandboxes/processes.ts'

const skip = spawnSync('setpriv', ['--version']).error ? 'there is no setpriv here' : false

test('all processes that start boxes are there once the first box is begun, and none is added for the next', {
  skip,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'guildhall-starter-'))
  const count = 7
  const before = new Set(listChildren(process.pid))
  const listStarters = () => listChildren(process.pid).filter((pid) => !before.has(pid))
  const starter = makeBoxStarter('setpriv', folder, count)
  const run = () => starter.start({ words: ['/bin/true'], descriptors: [] }).ended
  try {
    const first = run()
    const starters = listStarters()
    assert.equal(starters.length, count)
    await first
    await Promise.all(Array.from({ length: count }, run))
    assert.deepEqual(listStarters(), starters)
  } finally {
    await starter.close()
    rmSync(folder, { recursive: true })
  }
})
