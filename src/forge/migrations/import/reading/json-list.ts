/**
 * Cuts a long JSON text into the elements of its one list, without parsing: the text is a list, or an object that has
 * one. Only one element is held and parsed at a time, however many there are.
 */

export type ListBounds = { readonly maxElements: number; readonly maxElementBytes: number; readonly maxDepth: number }

/** Why cutting a text has stopped. */
export class ListFault extends Error {
  readonly fault: 'malformed' | 'deep' | 'many' | 'large'

  constructor(fault: ListFault['fault']) {
    super(fault)
    this.fault = fault
  }
}

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket, comma] = Buffer.from('"\\{}[],')
/** The text around the list, such as a version. */
const maxShellBytes = 4096

/** Yields the text of each element, and returns the text around them, with an empty list in their place. */
export function* cutList(chunks: Iterable<Buffer>, bounds: ListBounds): Generator<Buffer, Buffer> {
  const shell = makePart(maxShellBytes)
  const element = makePart(bounds.maxElementBytes)
  let depth = 0
  let isText = false
  let isEscaped = false
  /** The depth of the list while it is read; 0 before and after it. */
  let listDepth = 0
  let lists = 0
  let count = 0
  for (const chunk of chunks) {
    let from = 0
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]
      if (isText) {
        if (isEscaped) isEscaped = false
        else if (byte === backslash) isEscaped = true
        else if (byte === quote) isText = false
      } else if (byte === quote) isText = true
      else if (byte === openBrace || byte === openBracket) {
        if (++depth > bounds.maxDepth) throw new ListFault('deep')
        if (byte === openBrace || listDepth > 0 || depth > 2) continue
        if (++lists > 1) throw new ListFault('malformed')
        listDepth = depth
        shell.add(chunk.subarray(from, at + 1))
        from = at + 1
      } else if (byte === comma && depth === listDepth && listDepth > 0) {
        if (++count > bounds.maxElements) throw new ListFault('many')
        element.add(chunk.subarray(from, at))
        yield element.take()
        from = at + 1
      } else if (byte === closeBrace || byte === closeBracket) {
        if (depth-- !== listDepth || listDepth === 0) continue
        element.add(chunk.subarray(from, at))
        const last = element.take()
        if (count > 0 || !isBlank(last)) {
          if (++count > bounds.maxElements) throw new ListFault('many')
          yield last
        }
        listDepth = 0
        from = at
      }
    }
    const part = listDepth > 0 ? element : shell
    part.add(chunk.subarray(from))
  }
  if (listDepth > 0 || isText) throw new ListFault('malformed')
  return shell.take()
}

function makePart(maxBytes: number) {
  let pieces: Buffer[] = []
  let bytes = 0
  return {
    add(piece: Buffer): void {
      bytes += piece.length
      if (bytes > maxBytes) throw new ListFault('large')
      // A copy, because the chunk's buffer is used again.
      if (piece.length > 0) pieces.push(Buffer.from(piece))
    },
    take(): Buffer {
      const whole = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
      pieces = []
      bytes = 0
      return whole
    },
  }
}

const isBlank = (text: Buffer): boolean => text.every((byte) => byte <= 0x20)
