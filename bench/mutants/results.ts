/** What became of each fault, a line of JSON each, so that a run goes on where the one before it was stopped. */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Mutant } from './draw.ts'

export type Outcome = {
  readonly isCaught: boolean
  /** The test that failed, or the files that were run and did not. */
  readonly by: readonly string[]
  /** Of those, the files that ran the place of the fault. */
  readonly reached?: readonly string[]
  readonly reason?: string
}

type Line = Outcome & { readonly id: string; readonly place: string; readonly diff: string }

export function openResults(path: string) {
  const known = new Map<string, Line>()
  if (existsSync(path))
    for (const line of readFileSync(path, 'utf8').split('\n').filter(Boolean)) {
      const result = JSON.parse(line) as Line
      known.set(result.id, result)
    }
  return {
    /** The last one counts. */
    find: (id: string): Outcome | undefined => known.get(id),
    add({ id, file, line, before, after }: Mutant, outcome: Outcome): void {
      const result: Line = {
        id,
        place: `${file}:${line}`,
        ...outcome,
        diff: `${before.join(' ')} → ${after.join(' ')}`,
      }
      known.set(id, result)
      mkdirSync(dirname(path), { recursive: true })
      appendFileSync(path, `${JSON.stringify(result)}\n`)
    },
  }
}
