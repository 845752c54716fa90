/** Where the dots and lines of a graph of commits are drawn. */
import type { Commit } from '../api/forge-types.ts'

type Line = readonly [from: number, to: number]

export type GraphRow = {
  readonly column: number
  /** From the top of the row to its middle, and from there to its end. */
  readonly above: readonly Line[]
  readonly below: readonly Line[]
}

/** Commits come before their parents; a column is reserved for the parent it leads to. */
export function drawGraph(commits: readonly Pick<Commit, 'sha' | 'parents'>[]): GraphRow[] {
  const waiting: (string | undefined)[] = []
  const take = (sha: string): number => {
    const free = waiting.indexOf(undefined)
    const column = free < 0 ? waiting.length : free
    waiting[column] = sha
    return column
  }
  return commits.map(({ sha, parents }) => {
    const before = [...waiting]
    const known = waiting.indexOf(sha)
    const column = known < 0 ? take(sha) : known
    for (const [at, other] of waiting.entries()) if (other === sha) waiting[at] = undefined
    const [first, ...others] = parents.map((parent) => parent.sha)
    const to: number[] = []
    if (first !== undefined) {
      const place = waiting.indexOf(first)
      if (place < 0) waiting[column] = first
      to.push(place < 0 ? column : place)
    }
    for (const parent of others) {
      const place = waiting.indexOf(parent)
      to.push(place < 0 ? take(parent) : place)
    }
    const above: Line[] = before.flatMap((other, at) =>
      other === undefined ? [] : [[at, other === sha ? column : at] as const],
    )
    const passing = before.flatMap((other, at): Line[] => (other !== undefined && other !== sha ? [[at, at]] : []))
    return { column, above, below: [...passing, ...to.map((at) => [column, at] as const)] }
  })
}
