/** `npm test [-- NAME …]`: every test, or the files whose path holds one of the names. */
import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, isBuilt } from './build.mjs'
import { groupFiles } from './test-groups.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const names = process.argv.slice(2).filter((word) => !word.startsWith('-'))
const flags = process.argv.slice(2).filter((word) => word.startsWith('-'))
const files = globSync('test/**/*.test.ts', { cwd: root })
  .filter((file) => names.length === 0 || names.some((name) => file.includes(name)))
  .sort()

if (files.length === 0) {
  process.stderr.write(`guildhall: no test file's path holds ${names.join(' or ')}.\n`)
  process.exit(1)
}

// Programs that tests start are what `npm start` starts.
if (!isBuilt()) await build()

const node = [
  '--disable-warning=ExperimentalWarning',
  '--test',
  '--test-concurrency=2',
  '--test-timeout=600000',
  '--import=./test/support/untracked-promises.ts',
  '--import=./test/support/end-guard.ts',
  '--test-global-setup=test/support/global-setup.ts',
  ...flags,
]
const child = spawn(process.execPath, [...node, ...groupFiles(root, files)], { cwd: root, stdio: 'inherit' })
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
child.on('exit', (code) => process.exit(code ?? 1))
