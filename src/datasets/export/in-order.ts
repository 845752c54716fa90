/** Work on several pieces at once, answered one after the other: never further ahead of the reader than there are threads. */
import type { Part } from '../formats/piece.ts'
import { type Place, pieceStart } from '../query/records.ts'
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

/** The same for pieces that may have to be made in several parts, one after the other. */
export async function* inParts<P, R>(
  pieces: AsyncIterable<P> | Iterable<P>,
  act: (piece: P, from: Place) => Promise<Part<R>>,
): AsyncGenerator<{ piece: P; from: Place; made: R }> {
  const start = async (piece: P) => ({ piece, ...(await act(piece, pieceStart)) })
  for await (const { piece, made, next } of inOrder(pieces, start)) {
    yield { piece, from: pieceStart, made }
    for (let from = next; from !== null; ) {
      const part: Part<R> = await act(piece, from)
      yield { piece, from, made: part.made }
      from = part.next
    }
  }
}
