/** `npm test [-- NAME …]`: every test, or the files whose path holds one of the names. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, isBuilt } from './build.mjs'
import type { FailedTest } from './failed-tests.ts'
import { makeTestFolder } from './test-folder.ts'
import { groupFiles, isMeasuring } from './test-groups.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const names = process.argv.slice(2).filter((word) => !word.startsWith('-'))
const flags = process.argv.slice(2).filter((word) => word.startsWith('-'))
const files = globSync('test/**/*.test.ts', { cwd: root })
  .filter((file) => names.length === 0 || names.some((name) => file.includes(name)))
  .sort()

type Part = { readonly members: readonly string[]; readonly atOnce: number; readonly inMemory: boolean }
type Ending = { readonly isGreen: boolean; readonly failed: readonly FailedTest[] }

let wasEnded = false
let summary = ''
/** More of them are no matter of chance. */
const mostFilesAgain = 5

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
 * A file waits for disks, databases, clocks and other processes half of its time: three for each processor keep them busy.
 * Those that measure programs, or stop them by the clock, come after the others, with a processor each, and keep their
 * files where an executor does.
 */
const parts: readonly Part[] = [
  { members: files.filter((file) => !isMeasuring(file)), atOnce: 3 * availableParallelism(), inMemory: true },
  { members: files.filter(isMeasuring), atOnce: availableParallelism(), inMemory: false },
]
for (const part of parts) {
  const { isGreen, failed } = await run(part)
  if (isGreen) continue
  const again = await runAgain(part, failed)
  if (!again) process.exitCode = 1
  const ending = again ? '↻ passed when its file was run again, alone' : '✖ failed'
  summary += failed.map(({ name, file, reason }) => `\n${ending}: ${name} (${file})\n${indent(reason)}\n`).join('')
}
if (names.length === 0) process.stdout.write(summary)

/**
 * Of some thousand tests beside each other on a busy machine one may meet a moment in which nothing moves. What a few files say
 * is asked once more, with nothing beside them, and told as such at the end; whoever names files has the answer as it is.
 */
async function runAgain(part: Part, failed: readonly FailedTest[]): Promise<boolean> {
  const members = [...new Set(failed.map(({ file }) => file))]
  const isKnown = members.every((file) => part.members.includes(file))
  if (names.length > 0 || members.length === 0 || members.length > mostFilesAgain || !isKnown) return false
  process.stdout.write(`\nOnce more, alone: ${members.join(', ')}\n\n`)
  return (await run({ ...part, members, atOnce: 1 })).isGreen
}

function indent(text: string): string {
  return text.replace(/^/gm, '  ')
}

async function run({ members, atOnce, inMemory }: Part): Promise<Ending> {
  if (members.length === 0) return { isGreen: true, failed: [] }
  const folder = inMemory ? makeTestFolder() : undefined
  const { paths, compileCache, failures, remove } = await groupFiles(root, members)
  const maps = compileCache ? ['--enable-source-maps'] : []
  const words = [
    ...node,
    `--test-reporter-destination=${failures}`,
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
  const lines = readFileSync(failures, 'utf8').trim().split('\n').filter(Boolean)
  remove()
  if (folder) rmSync(folder, { recursive: true, force: true })
  if (wasEnded) process.exit(1)
  return { isGreen: code === 0, failed: lines.map((line) => JSON.parse(line)) }
}
