/**
 * How much tests see: plants one small fault at a time in a copy of the source, runs the tests that are near to it, and tells
 * which faults none of them caught. `npm run bench mutants -- --seed 1 --count 40 [--only 7] [--under src/forge] [--but src/api]`
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { type Fault, isSound, listFaults, plant } from './mutants/faults.ts'
import { makeNearestTests } from './mutants/nearest-tests.ts'
import { readOption } from './options.ts'
import type { Row } from './table.ts'

const root = join(import.meta.dirname, '..')
/** The nearest ones first, since most faults are caught by them; then some more. */
const stages = [2, 4]
const mostMs = 8 * 60_000
/** Places that no test could see: what is logged, what is measured, what only speed depends on is decided by whoever reads the list. */
const left = /^src\/(?:store\/migrations|store\/schema)\/|worker\.ts$/

type Mutant = { readonly number: number; readonly file: string; readonly line: number; readonly fault: Fault }
type Outcome = { readonly isCaught: boolean; readonly by: string }

export async function* bench(): AsyncGenerator<Row> {
  const words = (name: string) => readOption(name)?.split(',')
  const mutants = draw(Number(readOption('seed') ?? 1), Number(readOption('count') ?? 20), words('under'), words('but'))
  const only = readOption('only')
  const copy = makeCopy()
  const nearest = makeNearestTests(root)
  let caught = 0
  let run = 0
  try {
    for (const mutant of mutants) {
      if (only !== undefined && mutant.number !== Number(only)) continue
      const { isCaught, by } = await tryMutant(
        copy,
        mutant,
        nearest(
          mutant.file,
          stages.reduce((a, b) => a + b),
        ),
      )
      run++
      if (isCaught) caught++
      process.stdout.write(`${describe(mutant, isCaught ? `caught by ${by}` : `SURVIVED ${by}`)}\n`)
    }
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
  if (run > 0) yield { what: `faults caught, of ${run}`, against: 'all of them', ratios: [caught / run] }
}

/** The same for the same seed and source: files by their number of faults, then a fault of the file. */
function draw(seed: number, count: number, under = ['src'], but: readonly string[] = []): Mutant[] {
  const random = makeRandom(seed)
  const files = globSync('src/**/*.ts', { cwd: root })
    .filter((file) => under.some((one) => file.startsWith(one)) && !but.some((one) => file.startsWith(one)))
    .filter((file) => !left.test(file))
    .sort()
  const all = files.flatMap((file) => {
    const source = readFileSync(join(root, file), 'utf8')
    return listFaults(source).map((fault) => ({ file, fault, source }))
  })
  // One kind is as likely as another: most places are constants and comparisons.
  const kinds = [...Map.groupBy(all, ({ fault }) => fault.kind).values()]
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
  const mutants: Mutant[] = []
  while (mutants.length < count && kinds.length > 0) {
    const { file, fault, source } = pick(pick(kinds))
    const line = source.slice(0, fault.from).split('\n').length
    if (isSound(source, fault)) mutants.push({ file, fault, line, number: mutants.length + 1 })
  }
  return mutants
}

/** mulberry32. */
function makeRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function makeCopy(): string {
  const copy = mkdtempSync(join(tmpdir(), 'guildhall-mutants-'))
  const isLeft = /^(?:node_modules|\.git|\.build|\.node|data|coverage)(?:\/|$)/
  cpSync(root, copy, { recursive: true, filter: (path) => !isLeft.test(relative(root, path)) })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  return copy
}

/** A test that fails is asked again, alone: on a busy machine one may fail for nothing. */
async function tryMutant(copy: string, { file, fault }: Mutant, tests: readonly string[]): Promise<Outcome> {
  const path = join(copy, file)
  const source = readFileSync(path, 'utf8')
  writeFileSync(path, plant(source, fault))
  try {
    for (let stage = 0, at = 0; stage < stages.length; at += stages[stage++]!) {
      const some = tests.slice(at, at + stages[stage]!)
      if (some.length === 0) break
      const failed = await runTests(copy, some)
      if (failed === undefined) return { isCaught: true, by: `its time (${some.join(' ')})` }
      if (failed.length === 0) continue
      const again = await runTests(copy, failed)
      if (again === undefined || again.length > 0) return { isCaught: true, by: failed.join(' ') }
    }
    return { isCaught: false, by: tests.join(' ') || '(no test is near)' }
  } finally {
    writeFileSync(path, source)
    rmSync(join(copy, '.build'), { recursive: true, force: true })
  }
}

/** Answers the files in which a test failed; undefined where they did not come to an end. */
async function runTests(copy: string, files: readonly string[]): Promise<string[] | undefined> {
  const child = spawn(process.execPath, ['scripts/test.ts', ...files], { cwd: copy, detached: true })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  const timer = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), mostMs * (files.length > 1 ? 1 : 0.5))
  const [code, signal] = await once(child, 'close')
  clearTimeout(timer)
  if (signal === 'SIGKILL') return undefined
  if (code === 0) return []
  const failed = files.filter((file) => new RegExp(`test at ${file}:|${file}:\\d`).test(output))
  return failed.length > 0 ? failed : [...files]
}

function describe({ number, file, line, fault }: Mutant, outcome: string): string {
  const source = readFileSync(join(root, file), 'utf8')
  const lines = (text: string) => text.split('\n')
  const planted = lines(plant(source, fault))
  const length = lines(source.slice(fault.from, fault.to)).length
  const before = lines(source).slice(line - 1, line - 1 + length)
  const after = planted.slice(line - 1, line - 1 + lines(fault.text).length)
  const diff = [...before.map((text) => `  - ${text.trim()}`), ...after.map((text) => `  + ${text.trim()}`)]
  return [`#${number} ${fault.kind} at ${file}:${line}: ${outcome}`, ...diff].join('\n')
}
