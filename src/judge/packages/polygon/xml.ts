/** The XML that Polygon writes: elements, attributes, text. A document with a DTD is refused, so no entities expand. */
import { invalidPackage } from '../package-files.ts'

export type XmlElement = {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly XmlElement[]
  readonly text: string
}

const mostDepth = 50
const mostElements = 200_000

type Open = { name: string; attributes: Record<string, string>; children: XmlElement[]; text: string }

/** An element has at most a hundred attributes: matching a million would overflow the stack. */
const token =
  /<\?[^>]*\?>|<!--[\s\S]*?-->|<!\[CDATA\[([\s\S]*?)\]\]>|<\/([\w:.-]+)\s*>|<([\w:.-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*')){0,100})\s*(\/?)>|([^<]+)/y

export function parseXml(source: string, file: string): XmlElement {
  const root: Open = { name: '', attributes: {}, children: [], text: '' }
  const open: Open[] = [root]
  let count = 0
  token.lastIndex = 0
  for (let at = 0; at < source.length; at = token.lastIndex) {
    const found = token.exec(source)
    if (!found) throw invalidPackage(`${file} is not XML as Polygon writes it: line ${lineOf(source, at)}.`)
    const [, data, closing, opening, attributes = '', slash, text] = found
    const current = open.at(-1)!
    if (data !== undefined) current.text += data
    else if (text !== undefined) current.text += unescapeXml(text)
    else if (closing !== undefined) {
      if (open.length === 1 || current.name !== closing)
        throw invalidPackage(`${file}: </${closing}> ends nothing: line ${lineOf(source, at)}.`)
      open.pop()
    } else if (opening !== undefined) {
      const element: Open = { name: opening, attributes: readAttributes(attributes), children: [], text: '' }
      current.children.push(element)
      if (++count > mostElements || open.length > mostDepth) throw invalidPackage(`${file} has too many elements.`)
      if (slash === '') open.push(element)
    }
  }
  if (open.length > 1) throw invalidPackage(`${file}: <${open.at(-1)!.name}> is never ended.`)
  const [first] = root.children
  if (!first) throw invalidPackage(`${file} is empty.`)
  return first
}

const lineOf = (source: string, at: number): number => source.slice(0, at).split('\n').length

function readAttributes(source: string): Record<string, string> {
  const found = source.matchAll(/([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)
  return Object.fromEntries([...found].map(([, name, double, single]) => [name!, unescapeXml(double ?? single ?? '')]))
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

const unescapeXml = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w+));/gi, (whole, decimal, hex, name) => {
    const code = decimal ? Number(decimal) : hex ? Number.parseInt(hex, 16) : undefined
    if (code !== undefined) return code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd'
    return entities[name] ?? whole
  })

/** All elements at a path of names below this one. */
export function findAll(element: XmlElement, path: string): XmlElement[] {
  return path
    .split('/')
    .reduce<XmlElement[]>(
      (found, name) => found.flatMap(({ children }) => children.filter((child) => child.name === name)),
      [element],
    )
}

export const findOne = (element: XmlElement, path: string): XmlElement | undefined => findAll(element, path)[0]
