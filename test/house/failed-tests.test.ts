/** What `npm test` says of a failure at its end names a file that can be run by itself. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { test } from 'node:test'

test('a failure in a part of a test file is told with the name of the test file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-test-'))
  try {
    const part = `import { test } from 'node:test'
      export const testPart = () => {
        test('good', () => {})
        test('bad', () => { throw new Error('it was bad') })
      }`
    const whole = `import { describe } from 'node:test'
      import { testPart } from './part.mjs'
      describe('outer', () => describe('inner', testPart))`
    await writeFile(join(folder, 'part.mjs'), part)
    await writeFile(join(folder, 'whole.test.mjs'), whole)
    const words = ['--test', '--test-reporter=./scripts/failed-tests.ts', join(folder, 'whole.test.mjs')]
    const env = { PATH: process.env.PATH }
    const said = await new Promise<string>((resolve) =>
      execFile(process.execPath, words, { env }, (_, stdout) => resolve(stdout)),
    )
    const [failed, ...others] = said.trim().split('\n')
    assert.deepEqual(others, [])
    const { name, file, reason } = JSON.parse(failed!)
    assert.deepEqual([name, file], ['bad', relative(process.cwd(), join(folder, 'whole.test.mjs'))])
    assert.match(reason, /it was bad/)
  } finally {
    await rm(folder, { recursive: true })
  }
})
