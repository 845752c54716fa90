/** Reads TeX piece by piece: commands, groups in braces, options in brackets, environments, maths. It executes nothing. */

const longestOption = 200

export type Scanner = ReturnType<typeof makeScanner>

export function makeScanner(source: string) {
  let at = 0
  /** Marks that do not come again after a place: a text full of openings is not looked through for each. */
  const missing = new Set<string>()

  /** Where the group that begins at `open` ends; after the text where it never does. */
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
    /** What stands in the braces that come next, or one character or command where there are none, as TeX has it. */
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
    /** What stands in the brackets that come next, where there are any. */
    readOption(): string | undefined {
      if (source[at] !== '[') return undefined
      if (!source.slice(at, at + longestOption).includes(']')) return undefined
      const end = findClose(at, '[', ']', longestOption)
      if (end >= source.length) return undefined
      const inner = source.slice(at + 1, end)
      at = end + 1
      return inner
    },
    /** The inside of an environment whose `\begin{name}` was read, and moves behind its end. */
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
    /** Up to the mark, which is passed; undefined, and nothing read, where it does not come (within so many characters). */
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

/** Comments go, with the line end where a line has nothing else; what is shown letter by letter keeps its percent signs. */
export function stripComments(source: string): string {
  const strip = (part: string) => part.replace(/^[ \t]*%.*\n?/gm, '').replace(/((?:^|[^\\])(?:\\\\)*)%.*/gm, '$1')
  const opening = /\\begin\{(verbatim|lstlisting)\}/g
  // One that is never closed is looked for once, however often it is opened.
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

/** Splits at a separator that stands in no braces and no maths: the cells of a row. */
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
