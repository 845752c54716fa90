/** Work on several pieces at once, answered one after the other: never further ahead of the reader than there are threads. */
import type { Part } from '../formats/slice.ts'
import { type Place, sliceStart } from '../query/records.ts'
import { workerCount } from '../workers/worker-pool.ts'

export async function* mapOrdered<P, R>(
  slices: AsyncIterable<P> | Iterable<P>,
  act: (slice: P) => Promise<R>,
  ahead = workerCount + 1,
): AsyncGenerator<R> {
  const coming: Promise<R>[] = []
  try {
    for await (const slice of slices) {
      const made = act(slice)
      // One that fails before its turn is heard when its turn comes.
      made.catch(() => {})
      coming.push(made)
      if (coming.length >= ahead) yield await coming.shift()!
    }
    while (coming.length > 0) yield await coming.shift()!
  } finally {
    // The reader left, or one piece failed: nobody waits for the others any more.
    await Promise.allSettled(coming)
  }
}

/** The same for pieces that may have to be made in several parts, one after the other. */
export async function* mapParts<P, R>(
  slices: AsyncIterable<P> | Iterable<P>,
  act: (slice: P, from: Place) => Promise<Part<R>>,
): AsyncGenerator<{ slice: P; from: Place; made: R }> {
  const start = async (slice: P) => ({ slice, ...(await act(slice, sliceStart)) })
  for await (const { slice, made, next } of mapOrdered(slices, start)) {
    yield { slice, from: sliceStart, made }
    for (let from = next; from !== null; ) {
      const part: Part<R> = await act(slice, from)
      yield { slice, from, made: part.made }
      from = part.next
    }
  }
}
