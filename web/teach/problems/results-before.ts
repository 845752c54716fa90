/** The results before a rejudging, kept for this tab, so that the comparison is still there when one comes back. */
import type { SubmissionSnippet } from '../../api/operations.ts'
import { finished } from '../../judge/results.ts'

export type ResultBefore = Pick<SubmissionSnippet, 'ID' | 'Result' | 'Score' | 'MaximumScore' | 'FinishedTime'>

export type ResultsBefore = {
  readonly startedAt: number
  /** How many are judged again; null until the server has said. */
  readonly count: number | null
  readonly byId: ReadonlyMap<number, ResultBefore>
}

/** Submissions that wait for their first verdict have no result that could change. */
export const pickResults = (list: readonly SubmissionSnippet[]): ReadonlyMap<number, ResultBefore> =>
  new Map(
    list
      .filter(({ Status }) => Status === finished)
      .map(({ ID, Result, Score, MaximumScore, FinishedTime }) => [
        ID,
        { ID, Result, Score, MaximumScore, FinishedTime },
      ]),
  )

export function compareResults(list: readonly SubmissionSnippet[], { count, byId }: ResultsBefore) {
  const judged = list.filter(({ ID, Status, FinishedTime }) => {
    const before = byId.get(ID)
    return Status === finished && before !== undefined && before.FinishedTime !== FinishedTime
  })
  const changed = judged.filter(({ ID, Result, Score, MaximumScore }) => {
    const before = byId.get(ID)!
    return before.Result !== Result || before.Score !== Score || before.MaximumScore !== MaximumScore
  })
  // Submissions may be deleted meanwhile, and those of contests are not judged again.
  const present = list.filter(({ ID }) => byId.has(ID)).length
  return { judged: judged.length, total: Math.min(count ?? present, present), changed }
}

const keyOf = (accountId: number, uuid: string): string => `rejudged ${accountId} ${uuid}`

export function keepResults(accountId: number, uuid: string, { byId, ...others }: ResultsBefore): void {
  try {
    sessionStorage.setItem(keyOf(accountId, uuid), JSON.stringify({ ...others, list: [...byId.values()] }))
  } catch {
    // Storage is full or off: the comparison lasts as long as the page.
  }
}

export function readResults(accountId: number, uuid: string): ResultsBefore | undefined {
  try {
    const kept = JSON.parse(sessionStorage.getItem(keyOf(accountId, uuid)) ?? 'null')
    if (!kept) return undefined
    const { list, ...others } = kept as Omit<ResultsBefore, 'byId'> & { readonly list: readonly ResultBefore[] }
    return { ...others, byId: new Map(list.map((one) => [one.ID, one])) }
  } catch {
    return undefined
  }
}
