/** Maps over slices concurrently and yields in order, no further ahead of the reader than keeps the workers busy. */
import type { SlicePart } from '../formats/slice.ts'
import { type RecordPosition, sliceStart } from '../query/records.ts'
import { workerCount } from '../workers/worker-pool.ts'

/** While one is being sent, each worker has one, and another is ready when a worker finishes. */
const usualAhead = workerCount + 2

export async function* mapOrdered<P, R>(
  slices: AsyncIterable<P> | Iterable<P>,
  act: (slice: P) => Promise<R>,
  ahead = usualAhead,
): AsyncGenerator<R> {
  const coming: Promise<R>[] = []
  try {
    for await (const slice of slices) {
      const made = act(slice)
      // A failure is thrown in its turn; until then it must not count as an unhandled rejection.
      made.catch(() => {})
      coming.push(made)
      if (coming.length >= ahead) yield await coming.shift()!
    }
    while (coming.length > 0) yield await coming.shift()!
  } finally {
    // The reader left or a slice failed: wait for the others, so that nothing keeps running after the caller.
    await Promise.allSettled(coming)
  }
}

/** The same for slices whose output comes in several parts. */
export async function* mapParts<P, R>(
  slices: AsyncIterable<P> | Iterable<P>,
  act: (slice: P, from: RecordPosition) => Promise<SlicePart<R>>,
): AsyncGenerator<{ slice: P; from: RecordPosition; made: R }> {
  const start = async (slice: P) => ({ slice, ...(await act(slice, sliceStart)) })
  for await (const { slice, made, next } of mapOrdered(slices, start)) {
    yield { slice, from: sliceStart, made }
    for (let from = next; from !== null; ) {
      const part: SlicePart<R> = await act(slice, from)
      yield { slice, from, made: part.made }
      from = part.next
    }
  }
}
