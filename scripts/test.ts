/** `npm test [-- NAME …]`: every test, or the files whose path holds one of the names. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, isBuilt } from './build.mjs'
import { makeTestFolder } from './test-folder.ts'
import { groupFiles, isMeasuring } from './test-groups.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const names = process.argv.slice(2).filter((word) => !word.startsWith('-'))
const flags = process.argv.slice(2).filter((word) => word.startsWith('-'))
const files = globSync('test/**/*.test.ts', { cwd: root })
  .filter((file) => names.length === 0 || names.some((name) => file.includes(name)))
  .sort()

let wasEnded = false
let failures = ''

if (files.length === 0) {
  process.stderr.write(`guildhall: no test file's path holds ${names.join(' or ')}.\n`)
  process.exit(1)
}

// Programs that tests start are what `npm start` starts.
if (!isBuilt()) await build()

const node = [
  '--disable-warning=ExperimentalWarning',
  '--test',
  '--test-timeout=600000',
  '--import=./test/support/untracked-promises.ts',
  '--import=./test/support/end-guard.ts',
  '--test-global-setup=test/support/global-setup.ts',
  '--test-reporter=spec',
  '--test-reporter-destination=stdout',
  '--test-reporter=./scripts/failed-tests.ts',
]

/**
 * A file waits for disks, databases, clocks and other processes half of its time: two for each processor keep them busy.
 * Those that measure programs, or stop them by the clock, come after the others, with a processor each, and keep their
 * files where an executor does.
 */
const parts = [
  { members: files.filter((file) => !isMeasuring(file)), atOnce: 2 * availableParallelism(), inMemory: true },
  { members: files.filter(isMeasuring), atOnce: availableParallelism(), inMemory: false },
]
for (const part of parts) {
  if (part.members.length > 0 && (await run(part)) !== 0) process.exitCode = 1
}
const isLong = parts.every(({ members }) => members.length > 0)
if (failures && isLong) process.stdout.write(`\nWhat failed, of all parts:\n${failures}`)

async function run({ members, atOnce, inMemory }: (typeof parts)[number]): Promise<number> {
  const folder = inMemory ? makeTestFolder() : undefined
  const { paths, compileCache, failed, remove } = await groupFiles(root, members)
  const maps = compileCache ? ['--enable-source-maps'] : []
  const words = [
    ...node,
    `--test-reporter-destination=${failed}`,
    ...maps,
    `--test-concurrency=${atOnce}`,
    ...flags,
    ...paths,
  ]
  const env = {
    ...process.env,
    ...(folder && { TMPDIR: folder }),
    ...(compileCache && { NODE_COMPILE_CACHE: compileCache }),
  }
  const child = spawn(process.execPath, words, { cwd: root, stdio: 'inherit', env })
  const forward = (signal: NodeJS.Signals) => {
    wasEnded = true
    child.kill(signal)
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, forward)
  const [code] = await once(child, 'exit')
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, forward)
  failures += readFileSync(failed, 'utf8')
  remove()
  if (folder) rmSync(folder, { recursive: true, force: true })
  if (wasEnded) process.exit(1)
  return code ?? 1
}
