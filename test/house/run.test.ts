/** The run of the tests itself: it fails when one of them does. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..', '..')

/** As scripts/test.ts runs them, with the PostgreSQL of all. */
function runTest(file: string): Promise<number | null> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const words = ['--disable-warning=ExperimentalWarning', '--test', '--test-global-setup=test/support/global-setup.ts']
  const child = spawn(process.execPath, [...words, file], { cwd: root, env, stdio: 'ignore' })
  return new Promise((resolve) => child.on('exit', resolve))
}

test('a run with a test that fails ends with 1, one without ends with 0', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-run-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  for (const code of [0, 1]) {
    const file = join(folder, `ends-with-${code}.test.mjs`)
    await writeFile(
      file,
      `import { test } from 'node:test'\ntest('one', () => { if (${code}) throw new Error('no') })\n`,
    )
    assert.equal(await runTest(file), code)
  }
})
