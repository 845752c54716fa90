/** Who solved what, from the lists of submissions: read a hundred a call, the calls of a portion in one request. */
import type { Account, SubmissionSnippet } from '../../api/operations.ts'
import { call, callAll, openAnswer } from '../../api/rpc.ts'
import { finished } from '../../judge/results.ts'

/** The latest: more would be megabytes for a page. */
export const mostRead = 5_000

type List = { readonly TotalSubmissionCount: number; readonly SubmissionSnippetList: readonly SubmissionSnippet[] }

/** To one problem, or to all. */
export async function readSubmissions(problem?: string): Promise<readonly SubmissionSnippet[]> {
  const read = (Offset: number) =>
    problem
      ? (['get_problem_submission_snippet_list', { ProblemUUID: problem, Offset, Limit: 100 }] as const)
      : (['get_submission_snippet_list', { Offset, Limit: 100 }] as const)
  const first = (
    problem
      ? await call('get_problem_submission_snippet_list', { ProblemUUID: problem, Offset: 0, Limit: 100 })
      : await call('get_submission_snippet_list', { Offset: 0, Limit: 100 })
  ) as List
  const all = [...first.SubmissionSnippetList]
  const total = Math.min(mostRead, first.TotalSubmissionCount)
  const offsets: number[] = []
  for (let offset = 100; offset < total; offset += 100) offsets.push(offset)
  const answers = await callAll(offsets.map(read))
  for (const answer of answers) all.push(...openAnswer<List>(answer).SubmissionSnippetList)
  // New submissions shift the pages, so a submission may appear on two of them.
  return [...new Map(all.map((one) => [one.ID, one])).values()]
}

export type Cell = {
  readonly tries: number
  readonly isSolved: boolean
  /** The first success, or the latest submission. */
  readonly best: SubmissionSnippet
  /** Tries up to the first success. */
  readonly needed: number
  /** The most of all tries, where the problem gives points. */
  readonly points: number | undefined
}

export type Standing = { readonly person: Account; readonly cells: ReadonlyMap<string, Cell>; readonly solved: number }

export type Standings = {
  readonly problems: readonly { readonly UUID: string; readonly DisplayName: string }[]
  readonly people: readonly Standing[]
}

export function makeStandings(submissions: readonly SubmissionSnippet[]): Standings {
  const problems = new Map<string, string>()
  const people = new Map<number, { person: Account; lists: Map<string, SubmissionSnippet[]> }>()
  for (const one of [...submissions].sort((a, b) => a.ID - b.ID)) {
    problems.set(one.Problem.UUID, one.Problem.DisplayName)
    const own = people.get(one.Author.ID) ?? { person: one.Author, lists: new Map<string, SubmissionSnippet[]>() }
    people.set(one.Author.ID, own)
    own.lists.set(one.Problem.UUID, [...(own.lists.get(one.Problem.UUID) ?? []), one])
  }
  const rows = [...people.values()].map(({ person, lists }): Standing => {
    const cells = new Map([...lists].map(([uuid, list]) => [uuid, toCell(list)] as const))
    return { person, cells, solved: [...cells.values()].filter(({ isSolved }) => isSolved).length }
  })
  rows.sort((a, b) => b.solved - a.solved || a.person.DisplayName.localeCompare(b.person.DisplayName))
  return { problems: [...problems].map(([UUID, DisplayName]) => ({ UUID, DisplayName })), people: rows }
}

/** In the order they were handed in. */
function toCell(list: readonly SubmissionSnippet[]): Cell {
  const at = list.findIndex(({ Status, Result }) => Status === finished && Result === 1)
  return {
    tries: list.length,
    isSolved: at >= 0,
    best: at >= 0 ? list[at]! : list.at(-1)!,
    needed: at >= 0 ? at + 1 : list.length,
    points: list.reduce<number | undefined>(
      (most, { Score }) => (typeof Score === 'number' && Score >= (most ?? 0) ? Score : most),
      undefined,
    ),
  }
}
