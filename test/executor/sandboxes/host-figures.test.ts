/** What stands in for the host's figures is made while processes of the host come and go. */
import assert from 'node:assert/strict'
import fs, { mkdtempSync, rmSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { mock, test } from 'node:test'
import { hideHostFigures } from '../../../src/executor/sandboxes/boxes/host-figures.ts'

test('a process that ends while /proc is read does not keep an executor from its start', () => {
  const folder = mkdtempSync('/var/tmp/guildhall-figures-')
  const { readdirSync } = fs
  // The kernel lists it without a type, and Node.js looks for the type of what is gone.
  const read = (path: string, options?: object) => {
    if (options !== undefined) fs.lstatSync(`${path}/4194305`)
    return [...readdirSync(path), '4194305']
  }
  const mocked = mock.method(fs, 'readdirSync', read as typeof readdirSync)
  syncBuiltinESMExports()
  try {
    const put = hideHostFigures(folder, { ownsNetwork: false })
    assert.ok(put.includes('/proc/sys') && put.includes('/proc/loadavg'))
    assert.ok(!put.includes('/proc/self') && !put.some((word) => /^\/proc\/\d/.test(word)))
  } finally {
    mocked.mock.restore()
    syncBuiltinESMExports()
    rmSync(folder, { recursive: true })
  }
})
