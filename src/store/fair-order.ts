/**
 * The fair order among owners of work that waits in a table: the one with the least running work is next; on a tie, the
 * one served longest ago. A look-up takes one index step per skipped owner, who has something running: its cost does
 * not depend on how much waits.
 */

export type Running<Owner> = ReadonlyMap<Owner, number>

type Search<Owner, Work> = {
  /** The first work of any owner with nothing running. */
  findIdle(busy: Iterable<Owner>): Promise<Work | undefined>
  /** The first work of an owner with something running. */
  findOf(owner: Owner): Promise<Work | undefined>
  /** On a tie: whether `one` comes first. */
  isBefore(one: Work, other: Work): boolean
}

/** An owner with `most` running gets no more. */
export async function findFairly<Owner, Work>(
  running: Running<Owner>,
  most: number,
  { findIdle, findOf, isBefore }: Search<Owner, Work>,
): Promise<Work | undefined> {
  const idle = await findIdle(running.keys())
  if (idle) return idle
  const levels = [...new Set(running.values())].filter((count) => count < most).sort((a, b) => a - b)
  for (const level of levels) {
    let first: Work | undefined
    for (const [owner, count] of running) {
      const work = count === level ? await findOf(owner) : undefined
      if (work && (!first || isBefore(work, first))) first = work
    }
    if (first) return first
  }
  return undefined
}

/** Round robin among owners: those after the last one served, then the others from the beginning. */
export type Rotation<Owner> = {
  /** `next` returns the first owner after the given one with something waiting. */
  walk(next: (after: Owner) => Promise<Owner | undefined>): AsyncGenerator<Owner>
  serve(owner: Owner): void
}

/** `beginning` sorts before all owners. */
export function makeRotation<Owner extends number | string>(beginning: Owner): Rotation<Owner> {
  let last = beginning
  return {
    async *walk(next) {
      const start = last
      for (let owner = await next(start); owner !== undefined; owner = await next(owner)) yield owner
      if (start === beginning) return
      for (let owner = await next(beginning); owner !== undefined && owner <= start; owner = await next(owner))
        yield owner
    },
    serve(owner) {
      last = owner
    },
  }
}
