/**
 * Names of tests in a package. Original names are kept if they still sort in judging order; otherwise all tests of a
 * folder are numbered.
 */

import { Failure } from '../../../lib/failure.ts'
import type { ScoringGroup } from '../../../lib/judging-rules/scoring/rules.ts'

export type NamedTest = {
  readonly id: number
  readonly isHidden: boolean
  readonly group: string
  /** Its name in the package that it came from. */
  readonly storedName: string | null
}

const plainFolder = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,60}$/

/**
 * The folder of each group under `data/secret/`: its name, if it is a valid folder name and sorts in the order of
 * groups.
 */
export function nameFolders(groups: readonly ScoringGroup[]): ReadonlyMap<string, string> {
  const taken = new Set(groups.map(({ name }) => name))
  const pad = padNumbers([...taken])
  return new Map(
    groups.map(({ name }, i) => {
      if (name === 'secret/sample' && !taken.has('sample')) return [name, 'sample']
      return [name, plainFolder.test(name) ? pad(name) : `group-${String(i + 1).padStart(3, '0')}`]
    }),
  )
}

/** Pads numbered groups: of groups 1 to 10 the folders are 01 and so on, since a package orders its groups by bytes. */
function padNumbers(names: readonly string[]): (name: string) => string {
  const numbers = names.filter((name) => /^\d{1,9}$/.test(name))
  const width = Math.max(0, ...numbers.map(({ length }) => length))
  const pad = (name: string) => (numbers.includes(name) ? name.padStart(width, '0') : name)
  const isInOrder = (list: readonly string[]) => list.every((name, i) => i === 0 || list[i - 1]! < name)
  return !isInOrder(names) && isInOrder(names.map(pad)) ? pad : (name) => name
}

/** In judging order, like the given tests. */
export function nameTests(
  tests: readonly NamedTest[],
  folders: ReadonlyMap<string, string>,
): ReadonlyMap<number, string> {
  const names = new Map<number, string>()
  for (const [folder, own] of sortIntoFolders(tests, folders)) {
    const kept = keepNames(folder, own)
    const width = String(own.length).length
    for (const [i, { id }] of own.entries())
      names.set(id, kept?.[i] ?? `${folder}/${String(i + 1).padStart(width, '0')}`)
  }
  return names
}

function sortIntoFolders(tests: readonly NamedTest[], folders: ReadonlyMap<string, string>): Map<string, NamedTest[]> {
  const sorted = new Map<string, NamedTest[]>()
  for (const test of tests) {
    const inGroup = folders.get(test.group)
    if (test.isHidden && folders.size > 0 && inGroup === undefined) throw groupless()
    const folder = test.isHidden ? (inGroup === undefined ? 'secret' : `secret/${inGroup}`) : 'sample'
    const own = sorted.get(folder)
    if (own) own.push(test)
    else sorted.set(folder, [test])
  }
  return sorted
}

const groupless = () =>
  new Failure(
    'precondition',
    'test-without-group',
    'A test is in no group, though the problem has groups: packages have no word for that. Put it in one (update_test_case_judging).',
  )

/** Tests added since come last: their names sort after all others, if possible. */
function keepNames(folder: string, tests: readonly NamedTest[]): string[] | undefined {
  const names: string[] = []
  for (const [i, { storedName }] of tests.entries()) {
    const name = storedName ?? `${folder}/zz-${String(i + 1).padStart(5, '0')}`
    const last = names.at(-1)
    if (
      !name.startsWith(`${folder}/`) ||
      (last !== undefined && Buffer.compare(Buffer.from(last), Buffer.from(name)) >= 0)
    )
      return undefined
    names.push(name)
  }
  return names
}
