/** Reads TeX piece by piece: commands, groups in braces, options in brackets, environments, maths. It executes nothing. */

const longestOption = 200

export type Scanner = ReturnType<typeof makeScanner>

export function makeScanner(source: string) {
  let at = 0
  /** Marks that do not occur any further in the text, so that it is not searched again for each opening. */
  const missing = new Set<string>()

  /** The end of the group that begins at `open`; behind the text if it is never closed. */
  function findClose(open: number, opening: string, closing: string, most = source.length): number {
    let depth = 0
    for (let i = open; i < Math.min(source.length, open + most); i++) {
      if (source[i] === '\\') i++
      else if (source[i] === opening) depth++
      else if (source[i] === closing && --depth === 0) return i
    }
    return source.length
  }

  function skipBlanks(): void {
    while (at < source.length && /[ \t\n]/.test(source[at]!)) at++
  }

  const scanner = {
    isAtEnd: (): boolean => at >= source.length,
    peek: (length = 1): string => source.slice(at, at + length),
    next: (length = 1): string => {
      at += length
      return source.slice(at - length, at)
    },
    skipBlanks,
    take(pattern: RegExp): string | undefined {
      pattern.lastIndex = at
      const found = pattern.exec(source)
      if (!found) return undefined
      at += found[0].length
      return found[0]
    },
    /** The content of the following braces; without braces, the next character or command, as in TeX. */
    readArgument(): string {
      skipBlanks()
      if (source[at] !== '{') return scanner.take(/\\[A-Za-z]+|\\?[\s\S]/y) ?? ''
      const end = findClose(at, '{', '}')
      const inner = source.slice(at + 1, end)
      at = Math.min(end + 1, source.length)
      return inner
    },
    hasArgument(): boolean {
      return /^[ \t]*\n?[ \t]*\{/.test(source.slice(at, at + 80))
    },
    /** The content of the following brackets, if there are any. */
    readOption(): string | undefined {
      if (source[at] !== '[') return undefined
      if (!source.slice(at, at + longestOption).includes(']')) return undefined
      const end = findClose(at, '[', ']', longestOption)
      if (end >= source.length) return undefined
      const inner = source.slice(at + 1, end)
      at = end + 1
      return inner
    },
    /** The body of an environment whose `\begin{name}` has been read; moves behind its end. */
    readEnvironment(name: string): string {
      const [opening, closing] = [`\\begin{${name}}`, `\\end{${name}}`]
      let depth = 1
      let from = at
      for (let end = source.indexOf(closing, at); end >= 0; end = source.indexOf(closing, from)) {
        depth += source.slice(from, end).split(opening).length - 2
        from = end + closing.length
        if (depth > 0) continue
        const inner = source.slice(at, end)
        at = from
        return inner
      }
      const rest = source.slice(at)
      at = source.length
      return rest
    },
    /**
     * The text up to the mark, and moves behind it; undefined, without moving, if the mark does not follow (within
     * `most` characters).
     */
    readUntil(mark: string, most?: number): string | undefined {
      if (most === undefined && missing.has(mark)) return undefined
      const text = most === undefined ? source : source.slice(0, at + most)
      let end = text.indexOf(mark, at)
      while (end > 0 && source[end - 1] === '\\') end = text.indexOf(mark, end + 1)
      if (end < 0) {
        if (most === undefined) missing.add(mark)
        return undefined
      }
      const inner = source.slice(at, end)
      at = end + mark.length
      return inner
    },
  }
  return scanner
}

/** Removes comments, with the line end if a line has nothing else. Verbatim text keeps its percent signs. */
export function stripComments(source: string): string {
  const strip = (part: string) => part.replace(/^[ \t]*%.*\n?/gm, '').replace(/((?:^|[^\\])(?:\\\\)*)%.*/gm, '$1')
  const opening = /\\begin\{(verbatim|lstlisting)\}/g
  // Environments without an end, so that it is searched only once.
  const unclosed = new Set<string>()
  let stripped = ''
  let at = 0
  for (let found = opening.exec(source); found; found = opening.exec(source)) {
    const closing = `\\end{${found[1]}}`
    const end = unclosed.has(closing) ? -1 : source.indexOf(closing, opening.lastIndex)
    if (end < 0) {
      unclosed.add(closing)
      continue
    }
    stripped += strip(source.slice(at, found.index)) + source.slice(found.index, end + closing.length)
    at = end + closing.length
    opening.lastIndex = at
  }
  return stripped + strip(source.slice(at))
}

/** Splits at separators outside braces and maths: the cells of a row. */
export function splitOutside(source: string, separator: RegExp): string[] {
  const parts: string[] = []
  let depth = 0
  let isMaths = false
  let start = 0
  const pattern = new RegExp(`${separator.source}|\\\\?[{}$]|\\\\.`, 'g')
  const whole = new RegExp(`^(?:${separator.source})$`)
  for (let found = pattern.exec(source); found; found = pattern.exec(source)) {
    const [piece] = found
    if (piece === '{') depth++
    else if (piece === '}') depth--
    else if (piece === '$') isMaths = !isMaths
    else if (depth === 0 && !isMaths && whole.test(piece)) {
      parts.push(source.slice(start, found.index))
      start = found.index + piece.length
    }
  }
  return [...parts, source.slice(start)]
}
