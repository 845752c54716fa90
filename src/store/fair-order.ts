/**
 * The fair order among the owners of work that waits in a table: whoever has the least running comes first, and among equals
 * whoever was served longest ago. A look takes a step in an index for each owner that is passed over, which are those who
 * have something running: its cost does not grow with what waits.
 */

export type Running<Owner> = ReadonlyMap<Owner, number>

type Search<Owner, Work> = {
  /** The first work of those who have nothing running. */
  findIdle(busy: Iterable<Owner>): Promise<Work | undefined>
  /** The first work of one who has. */
  findOf(owner: Owner): Promise<Work | undefined>
  /** Of equals, whose turn it is. */
  isBefore(one: Work, other: Work): boolean
}

/** An owner who has `most` running gets no more. */
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

/** Owners in rotation: after the one that was served last come those behind it, and then the others from the beginning. */
export type Rotation<Owner> = {
  /** `next` answers the first owner behind the given one who has something waiting. */
  walk(next: (after: Owner) => Promise<Owner | undefined>): AsyncGenerator<Owner>
  serve(owner: Owner): void
}

/** `beginning` is before all owners. */
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
