/** Which faults are planted: drawn by seed, and equal for it in every file that did not change. */
import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Fault, isSound, listFaults, plant } from './faults.ts'

export type Mutant = {
  /** Stays as long as the line does, wherever it moves in its file. */
  readonly id: string
  readonly file: string
  readonly line: number
  readonly fault: Fault
  readonly before: readonly string[]
  readonly after: readonly string[]
}

export type Choice = {
  readonly seed: number
  readonly count: number
  /** Where paths begin. */
  readonly under: readonly string[]
  readonly but: readonly string[]
}

/** Migrations are frozen, schemas are types, and no coverage tells which tests reach a thread. */
const left = /^src\/store\/(?:migrations|schema)\/|worker\.ts$/

/** One kind after the other, each in an order that only the seed and the faults themselves decide: fewer are the first of more. */
export function drawMutants(root: string, { seed, count, under, but }: Choice): Mutant[] {
  const startsWith = (file: string, words: readonly string[]) => words.some((word) => file.startsWith(word))
  const files = globSync('src/**/*.ts', { cwd: root })
    .filter((file) => startsWith(file, under) && !startsWith(file, but) && !left.test(file))
    .sort()
  const all = files.flatMap((file) => listMutants(file, readFileSync(join(root, file), 'utf8')))
  const kinds = [...Map.groupBy(all, ({ fault }) => fault.kind).values()].map((kind) =>
    kind.map((one) => ({ one, rank: digest(`${seed} ${one.id}`) })).sort((a, b) => (a.rank < b.rank ? -1 : 1)),
  )
  const drawn: Mutant[] = []
  for (let at = 0; drawn.length < count && kinds.some((kind) => at < kind.length); at++)
    for (const kind of kinds) {
      const mutant = kind[at]?.one
      if (mutant && isSound(readFileSync(join(root, mutant.file), 'utf8'), mutant.fault)) drawn.push(mutant)
    }
  return drawn.slice(0, count)
}

function listMutants(file: string, source: string): Mutant[] {
  const seen = new Map<string, number>()
  return listFaults(source).map((fault) => {
    const { line, before, after } = compare(source, fault)
    const words = [file, fault.kind, ...before, '→', ...after].join('\n')
    const times = (seen.get(words) ?? 0) + 1
    seen.set(words, times)
    return { id: digest(`${words} ${times}`).slice(0, 8), file, line, fault, before, after }
  })
}

function compare(source: string, fault: Fault) {
  const line = source.slice(0, fault.from).split('\n').length
  const cut = (text: string, changed: string) =>
    text
      .split('\n')
      .slice(line - 1, line - 1 + changed.split('\n').length)
      .map((words) => words.trim())
  return {
    line,
    before: cut(source, source.slice(fault.from, fault.to)),
    after: cut(plant(source, fault), fault.text),
  }
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')
