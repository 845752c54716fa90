/**
 * A package's expectations of its own submissions: by their folder, by submissions.yaml, or by a mark in the source.
 */

/** The verdicts of the package format, and `CE` for a compile error. */
export type Verdict = 'AC' | 'WA' | 'TLE' | 'RTE' | 'CE'

export type Expectation = {
  /** Every test has one of these. */
  readonly permitted?: readonly Verdict[]
  /** At least one test has one of these. */
  readonly required?: readonly Verdict[]
  /** The submission as a whole has one of these. */
  readonly overall?: readonly Verdict[]
  readonly score?: readonly [least: number, most: number]
  /** Some points, but not all. */
  readonly isPartial?: boolean
}

export type Judged = {
  readonly verdict: Verdict
  readonly tests: readonly Verdict[]
  readonly score: number | null
  readonly maximum: number | null
}

const byFolder: Readonly<Record<string, Expectation>> = {
  accepted: { permitted: ['AC'] },
  rejected: { required: ['RTE', 'TLE', 'WA'] },
  wrong_answer: { permitted: ['AC', 'WA'], required: ['WA'] },
  time_limit_exceeded: { permitted: ['AC', 'TLE'], required: ['TLE'] },
  run_time_error: { permitted: ['AC', 'RTE'], required: ['RTE'] },
  brute_force: { permitted: ['AC', 'RTE', 'TLE'], required: ['RTE', 'TLE'] },
  partially_accepted: { isPartial: true },
  slow_accepted: { overall: ['AC', 'TLE'] },
  compiler_error: { overall: ['CE'] },
  compile_error: { overall: ['CE'] },
}

type Yaml = Readonly<Record<string, unknown>>

/** `path`: relative to `submissions/`. */
export function listExpectations(path: string, source: string, yaml: Yaml): Expectation[] {
  const [folder = ''] = path.split('/')
  const marked = readMark(source)
  if (marked) return [{ overall: marked }]
  const found: Expectation[] = []
  const stated = asMap(yaml[folder])
  // An entry for the folder's own name overrides its default; any other pattern adds to it.
  if (byFolder[folder] || stated) found.push({ ...byFolder[folder], ...(stated && readYaml(stated)) })
  for (const [pattern, value] of Object.entries(yaml)) {
    const one = asMap(value)
    if (pattern !== folder && one && matches(pattern, path)) found.push(readYaml(one))
  }
  return found
}

const marks: Readonly<Record<string, Verdict>> = {
  CORRECT: 'AC',
  ACCEPTED: 'AC',
  WRONG_ANSWER: 'WA',
  TIME_LIMIT_EXCEEDED: 'TLE',
  RUN_TIME_ERROR: 'RTE',
  COMPILER_ERROR: 'CE',
  'WRONG-ANSWER': 'WA',
  'NO-OUTPUT': 'WA',
  'OUTPUT-LIMIT': 'WA',
  TIMELIMIT: 'TLE',
  'RUN-ERROR': 'RTE',
  'COMPILER-ERROR': 'CE',
}

/** DOMjudge: `@EXPECTED_RESULTS@: CORRECT, TIMELIMIT`. */
function readMark(source: string): Verdict[] | undefined {
  const listed = /@EXPECTED_RESULTS@:\s*([A-Z_, -]+)/.exec(source)?.[1]
  const known = listed
    ?.split(',')
    .map((word) => marks[word.trim()])
    .filter((verdict) => verdict !== undefined)
  return known && known.length > 0 ? known : undefined
}

const asMap = (value: unknown): Yaml | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Yaml) : undefined

function readYaml({ permitted, required, score }: Yaml): Expectation {
  const range = typeof score === 'number' ? [score, score] : Array.isArray(score) ? score.map(Number) : undefined
  return {
    ...(Array.isArray(permitted) && { permitted: permitted as Verdict[] }),
    ...(Array.isArray(required) && { required: required as Verdict[] }),
    ...(range?.length === 2 && { score: range as [number, number] }),
  }
}

/** `*` matches within a name, `{a,b}` matches either; a matching folder includes everything in it. */
function matches(pattern: string, path: string): boolean {
  const source = pattern.replace(/[.+^$()|[\]\\?]/g, '\\$&').replace(/\*/g, '[^/]*')
  const form = new RegExp(
    `^${source.replace(/\{([^{}]*)\}/g, (_all, list: string) => `(?:${list.replaceAll(',', '|')})`)}(?:/|$)`,
  )
  return form.test(path)
}

/** The expectation that the result does not meet, in words; undefined if it meets all. */
export function findFault({ verdict, tests, score, maximum }: Judged, expected: Expectation): string | undefined {
  const { permitted, required, overall, score: range, isPartial } = expected
  if (overall && !overall.includes(verdict)) return overall.join(' or ')
  if ((permitted || required) && verdict === 'CE') return (required ?? permitted)!.join(' or ')
  if (permitted && tests.some((one) => !permitted.includes(one))) return `only ${permitted.join(', ')}`
  if (required && !tests.some((one) => required.includes(one))) return required.join(' or ')
  if (range && (score === null || score < range[0] || score > range[1]))
    return range[0] === range[1] ? `${range[0]} points` : `${range[0]} to ${range[1]} points`
  if (isPartial && !(score !== null && score > 0 && (maximum === null || score < maximum)))
    return 'some points, not all'
  return undefined
}

export const describeExpectation = (expected: readonly Expectation[]): string =>
  expected
    .map(({ permitted, required, overall, score, isPartial }) => {
      if (isPartial) return 'some points'
      if (score) return score[0] === score[1] ? `${score[0]} points` : `${score[0]} to ${score[1]} points`
      return (overall ?? required ?? permitted ?? []).join(' or ')
    })
    .filter(Boolean)
    .join(', ') || '-'
