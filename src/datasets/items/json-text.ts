/**
 * JSON text that was validated when it was pushed, parsed one level at a time: a value that is not needed is not
 * parsed, keeps its spelling, and costs no memory. Names keep their order, even digits and `__proto__`.
 */

/** An object's members, each value as its text. */
export type Members = { readonly names: readonly string[]; readonly texts: readonly string[] }

export const isObject = (text: string): boolean => text.charCodeAt(0) === 0x7b
export const isArray = (text: string): boolean => text.charCodeAt(0) === 0x5b
export const isString = (text: string): boolean => text.charCodeAt(0) === 0x22

/** A non-empty object or array. */
export const isBranch = (text: string): boolean => text.length > 2 && (isObject(text) || isArray(text))

/** A repeated name has its last value, at the place of the first. */
export function readMembers(text: string): Members {
  const names: string[] = []
  const texts: string[] = []
  let at = 1
  while (text.charCodeAt(at) === 0x22) {
    const nameEnd = findQuote(text, at + 1)
    const valueEnd = findValueEnd(text, nameEnd + 2)
    names.push(decodeString(text, at, nameEnd + 1))
    texts.push(text.slice(nameEnd + 2, valueEnd))
    at = text.charCodeAt(valueEnd) === 0x2c ? valueEnd + 1 : valueEnd
  }
  const single = keepLast(names, texts)
  return { names: single.names, texts: single.values }
}

export function* readElements(text: string): Generator<string> {
  for (let at = 1; at < text.length - 1; ) {
    const end = findValueEnd(text, at)
    yield text.slice(at, end)
    at = end + 1
  }
}

export const readString = (text: string): string => decodeString(text, 0, text.length)

export function writeMembers({ names, texts }: Members): string {
  let text = '{'
  for (let i = 0; i < names.length; i++) text += `${i === 0 ? '' : ','}${JSON.stringify(names[i])}:${texts[i]}`
  return `${text}}`
}

/**
 * Rewrites the value so that every object, at any depth, has each name once; answers the same text if nothing changes.
 */
export function writeDistinct(text: string): string {
  if (!isBranch(text)) return text
  let hasChanged = false
  const write = (part: string) => {
    const written = writeDistinct(part)
    hasChanged ||= written !== part
    return written
  }
  if (isArray(text)) {
    const elements: string[] = []
    for (const element of readElements(text)) elements.push(write(element))
    return hasChanged ? `[${elements.join(',')}]` : text
  }
  const { names, texts } = readMembers(text)
  const written = writeMembers({ names, texts: texts.map(write) })
  return hasChanged || written.length !== text.length ? written : text
}

/** The comma or bracket after the value that starts here. */
export function findValueEnd(text: string, start: number): number {
  let depth = 0
  for (let at = start; ; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22:
        at = findQuote(text, at + 1)
        break
      case 0x7b:
      case 0x5b:
        depth++
        break
      case 0x7d:
      case 0x5d:
        if (depth === 0) return at
        depth--
        break
      case 0x2c:
        if (depth === 0) return at
    }
  }
}

/** The closing quote of the string that starts here: the first with an even number of backslashes before it. */
export function findQuote(text: string, start: number): number {
  for (let at = start; ; at++) {
    at = text.indexOf('"', at)
    let first = at
    while (text.charCodeAt(first - 1) === 0x5c) first--
    if ((at - first) % 2 === 0) return at
  }
}

/** The string with quotes at both ends of this range. */
export function decodeString(text: string, start: number, end: number): string {
  const inner = text.slice(start + 1, end - 1)
  return inner.includes('\\') ? (JSON.parse(text.slice(start, end)) as string) : inner
}

function repeats(names: readonly string[]): boolean {
  if (names.length > 16) return new Set(names).size < names.length
  for (let i = 1; i < names.length; i++) for (let j = 0; j < i; j++) if (names[i] === names[j]) return true
  return false
}

/** A repeated name has its last value, at the place of the first. */
export function keepLast<V>(names: readonly string[], values: readonly V[]) {
  if (!repeats(names)) return { names, values }
  const last = new Map<string, V>()
  for (let i = 0; i < names.length; i++) last.set(names[i]!, values[i]!)
  return { names: [...last.keys()], values: [...last.values()] }
}
