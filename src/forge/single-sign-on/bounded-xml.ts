/**
 * Bounds on an XML document, checked before it is parsed: signature parsers take time that grows faster than the text
 * with depth and attributes. Responses of real providers have about twelve levels and a few hundred elements.
 */
const mostLevels = 32
const mostElements = 2_000
const mostAttributes = 64
const longestTag = 16 * 1024

const skipped: readonly (readonly [string, string])[] = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
]

/** Throws if a bound is exceeded or the text is no XML; answers the first element's tag. One pass over the text. */
export function demandBoundedXml(xml: string): string {
  let [root, level, elements] = ['', 0, 0]
  for (let at = xml.indexOf('<'); at >= 0; at = xml.indexOf('<', at)) {
    const other = skipped.find(([start]) => xml.startsWith(start, at))
    if (other) {
      const end = xml.indexOf(other[1], at + other[0].length)
      if (end < 0) throw new Error('the response is cut short')
      at = end + other[1].length
      continue
    }
    const end = findTagEnd(xml, at)
    const isClosing = xml[at + 1] === '/'
    const isEmpty = xml[end - 1] === '/'
    if (!isClosing && ++elements > mostElements) throw new Error('the response has too many elements')
    if (root === '') root = xml.slice(at, end + 1)
    if (isClosing) level--
    else if (!isEmpty && ++level > mostLevels) throw new Error('the response is nested too deep')
    at = end + 1
  }
  return root
}

function findTagEnd(xml: string, start: number): number {
  let quote = ''
  let attributes = 0
  const last = Math.min(xml.length, start + longestTag)
  for (let at = start + 1; at < last; at++) {
    const character = xml[at]!
    if (quote) {
      if (character === quote) quote = ''
    } else if (character === '"' || character === "'") {
      quote = character
      if (++attributes > mostAttributes) throw new Error('an element of the response has too many attributes')
    } else if (character === '>') return at
    else if (character === '<') break
  }
  throw new Error('the response is not XML')
}
