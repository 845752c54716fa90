/**
 * How much tests see: plants one small fault at a time in a copy of the source, runs the tests that can see it, and tells
 * which faults none of them caught. `npm run bench mutants -- --seed 1 --count 40 [--under src/forge] [--but src/api]`
 *
 * It goes on where it was stopped, by what `coverage/mutants/` holds. `--list` only lists the faults, `--only ID` tries
 * these again, `--again` all that survived, `--most` ends after so many.
 */
import { join } from 'node:path'
import { makeCopy } from './mutants/copy.ts'
import { drawMutants, type Mutant } from './mutants/draw.ts'
import { makeNearestTests } from './mutants/nearest-tests.ts'
import { makeReach } from './mutants/reach.ts'
import { type Outcome, openResults } from './mutants/results.ts'
import { makeTestRuns } from './mutants/test-run.ts'
import { tryMutant } from './mutants/trial.ts'
import { unseen } from './mutants/unseen.ts'
import { readOption } from './options.ts'
import type { Row } from './table.ts'

const root = join(import.meta.dirname, '..')
const results = join(root, 'coverage', 'mutants')

export async function* bench(): AsyncGenerator<Row> {
  const words = (name: string) => readOption(name)?.split(',')
  const seed = Number(readOption('seed') ?? 1)
  const count = Number(readOption('count') ?? 20)
  const drawn = drawMutants(root, { seed, count, under: words('under') ?? ['src'], but: words('but') ?? [] })
  if (process.argv.includes('--list')) {
    for (const mutant of drawn) tell(mutant, unseen[mutant.id] ?? '')
    return
  }
  const only = words('only')
  const known = openResults(join(results, `seed-${seed}.jsonl`))
  const isWanted = ({ id }: Mutant): boolean => {
    if (only) return only.includes(id)
    const outcome = known.find(id)
    return !(id in unseen) && (!outcome || (!outcome.isCaught && process.argv.includes('--again')))
  }
  const wanted = drawn.filter(isWanted).slice(0, Number(readOption('most') ?? count))
  if (wanted.length > 0) {
    const copy = makeCopy(root)
    const runs = await makeTestRuns(copy.folder)
    const needs = { copy, runs, reach: makeReach(root, join(results, 'reach')), nearest: makeNearestTests(root) }
    try {
      for (const mutant of wanted) {
        const outcome = await tryMutant(needs, mutant)
        known.add(mutant, outcome)
        tell(mutant, describe(outcome))
      }
    } finally {
      await runs.close()
      copy.remove()
    }
  }
  const visible = drawn.filter(({ id }) => !(id in unseen))
  for (const [folder, mutants] of Map.groupBy(visible, folderOf))
    yield makeRow(`faults caught in ${folder}`, mutants, known.find)
  yield { ...makeRow('faults caught in all', visible, known.find), goal: { atLeast: 0.95 } }
}

function makeRow(what: string, mutants: readonly Mutant[], find: (id: string) => Outcome | undefined): Row {
  const tried = mutants.filter(({ id }) => find(id))
  const caught = tried.filter(({ id }) => find(id)!.isCaught)
  return { what, against: `all of ${tried.length}`, ratios: [caught.length / Math.max(1, tried.length)] }
}

const folderOf = ({ file }: Mutant): string =>
  file
    .split('/')
    .slice(0, file.startsWith('src/api/') ? 3 : 2)
    .join('/')

function describe({ isCaught, by, reached = [], reason }: Outcome): string {
  if (isCaught) return `caught by ${by.join(' ')} (${reason?.split('\n')[0]})`
  return `SURVIVED, reached by ${reached.join(' ') || 'none'} of ${by.join(' ') || 'no test that is near'}`
}

function tell({ id, file, line, fault, before, after }: Mutant, words: string): void {
  const diff = [...before.map((text) => `  - ${text}`), ...after.map((text) => `  + ${text}`)]
  process.stdout.write(`${[`${id} ${fault.kind} at ${file}:${line}: ${words}`, ...diff].join('\n')}\n`)
}
