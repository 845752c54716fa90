/** Work on several pieces at once, answered one after the other: never further ahead of the reader than there are threads. */
import { threadCount } from '../threads.ts'

export async function* inOrder<P, R>(
  pieces: AsyncIterable<P> | Iterable<P>,
  act: (piece: P) => Promise<R>,
  ahead = threadCount + 1,
): AsyncGenerator<R> {
  const coming: Promise<R>[] = []
  try {
    for await (const piece of pieces) {
      const made = act(piece)
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
