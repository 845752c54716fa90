/**
 * How the tests of a problem give points: groups, their worth, and the maximum of each test. The server adds up by
 * these rules, and the executor decides by them what to run, so they are pure and shared. Scores are whole millionths
 * of a point, so their sums are exact.
 */

export const aggregations = ['sum', 'min', 'pass-fail'] as const
export type Aggregation = (typeof aggregations)[number]

/** `maximum`: null if unbounded, which `pass-fail` can't be. */
export type ScoringGroup = {
  readonly name: string
  readonly aggregation: Aggregation
  readonly maximum: number | null
  /** Names of groups, or `sample` for the open tests. */
  readonly required: readonly string[]
}

/** The root combines its groups, and the tests outside of groups, as a group combines tests. */
export type ScoringRules = {
  readonly aggregation: Aggregation
  readonly maximum: number | null
  readonly groups: readonly ScoringGroup[]
}

export type ScoredTest = {
  /** `''` for a test of the root itself. */
  readonly group: string
  readonly points: number | null
  readonly isHidden: boolean
}

/**
 * The group of open tests without points: all open tests except those of a group without hidden tests, or of a problem
 * with neither groups nor hidden tests. Other groups may require it.
 */
export const sampleGroup = 'sample'

/** The highest score in points: within this bound a JSON number carries every millionth. */
export const largestScore = 1_000_000_000

export const toMillionths = (points: number): number => Math.round(points * 1_000_000)
export const toPoints = (millionths: number): number => millionths / 1_000_000

/** Whether running stops at the first 0, because the rest could not change the group's score. */
export const stopsAtZero = (aggregation: Aggregation): boolean => aggregation !== 'sum'

export const boundScore = (score: number, maximum: number | null): number =>
  Math.min(score, maximum ?? toMillionths(largestScore))

/**
 * The indexes of each group's tests, in judging order; the root's under `''`, open ones without points under `sample`.
 */
export function groupTests({ groups }: ScoringRules, tests: readonly ScoredTest[]): ReadonlyMap<string, number[]> {
  const members = new Map<string, number[]>(
    [sampleGroup, '', ...groups.map(({ name }) => name)].map((name) => [name, []]),
  )
  const nameOf = ({ group }: ScoredTest) => (group !== sampleGroup && members.has(group) ? group : '')
  const hasHidden = new Set(tests.filter(({ isHidden }) => isHidden).map(nameOf))
  const scoresOpen = (name: string) => !hasHidden.has(name) && (name !== '' || groups.length === 0)
  for (const [index, test] of tests.entries()) {
    const name = nameOf(test)
    members.get(test.isHidden || scoresOpen(name) ? name : sampleGroup)!.push(index)
  }
  return members
}

/**
 * The groups, each with everything it requires: requiring the open tests also means requiring the groups of open tests
 * alone, except those with requirements of their own.
 */
export function resolveRequired(
  { groups }: ScoringRules,
  tests: readonly ScoredTest[],
  members: ReadonlyMap<string, readonly number[]>,
): readonly ScoringGroup[] {
  const isOpen = ({ name, required }: ScoringGroup) => {
    const own = members.get(name)!
    return own.length > 0 && required.length === 0 && own.every((index) => !tests[index]!.isHidden)
  }
  const open = groups.filter(isOpen).map(({ name }) => name)
  return groups.map((group) =>
    group.required.includes(sampleGroup) ? { ...group, required: [...new Set([...group.required, ...open])] } : group,
  )
}

/**
 * The maximum of each test in millionths; null if unbounded. An uneven rest goes to the first tests, a millionth each,
 * so that all of them together give exactly the group's worth.
 */
export function listMaxima(rules: ScoringRules, tests: readonly ScoredTest[]): (number | null)[] {
  const maxima: (number | null)[] = tests.map(() => 0)
  const members = groupTests(rules, tests)
  for (const { name, aggregation, maximum } of [{ ...rules, name: '' }, ...rules.groups]) {
    const own = members.get(name)!
    for (const [place, index] of own.entries()) {
      if (aggregation === 'sum') maxima[index] = tests[index]!.points ?? shareOf(maximum, own.length, place)
      else if (aggregation === 'min') maxima[index] = maximum
    }
  }
  return maxima
}

function shareOf(maximum: number | null, count: number, place: number): number | null {
  if (maximum === null) return null
  return Math.floor(maximum / count) + (place < maximum % count ? 1 : 0)
}

/** In their own order, but each after those it requires. */
export function orderGroups(groups: readonly ScoringGroup[]): readonly ScoringGroup[] {
  const waiting = new Map(groups.map((group) => [group.name, group]))
  const ordered: ScoringGroup[] = []
  while (waiting.size > 0) {
    const isReady = ({ required }: ScoringGroup) => !required.some((name) => waiting.has(name))
    const next = [...waiting.values()].find(isReady)
    if (!next) return [...ordered, ...waiting.values()]
    ordered.push(next)
    waiting.delete(next.name)
  }
  return ordered
}

/** The first group that requires itself, directly or indirectly. */
export function findCircularGroup(groups: readonly ScoringGroup[]): string | undefined {
  const before = new Set<string>()
  for (const { name, required } of orderGroups(groups)) {
    if (required.some((other) => !before.has(other) && groups.some((group) => group.name === other))) return name
    before.add(name)
  }
  return undefined
}
