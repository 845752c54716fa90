/** Items as XML: a property is a tag, an array repeats it, `@` holds attributes and `#` the text of a tag without children. */
import {
  isArray,
  isObject,
  isString,
  type Members,
  readElements,
  readMembers,
  readString,
  textOf,
} from '../items/json-text.ts'
import { mendName } from './xml-names.ts'
import { escapeAttribute, escapeText } from './xml-text.ts'
import type { XmlWriter } from './xml-writer.ts'

export const xmlStart = (root: string): string => `<?xml version="1.0" encoding="UTF-8"?>\n<${root}>\n`
export const xmlEnd = (root: string): string => `</${root}>\n`

/** A value, given as JSON, as an element of this name. */
export function writeElement(out: XmlWriter, tag: string, json: string): void {
  if (isObject(json)) writeObject(out, tag, readMembers(json))
  else if (isArray(json)) {
    out.add(`<${tag}>`)
    for (const element of readElements(json)) writeElement(out, tag, element)
    out.add(`</${tag}>`)
  } else out.add(json === 'null' ? `<${tag}/>` : `<${tag}>${escapeText(scalarText(json))}</${tag}>`)
}

function writeObject(out: XmlWriter, tag: string, members: Members) {
  out.add(`<${tag}${writeAttributes(members)}`)
  const open = () => out.add('>')
  const text = writeChildren(out, members, writeProperty, open) ? null : ownText(members)
  if (text === '') out.add('/>')
  else out.add(text === null ? `</${tag}>` : `>${text}</${tag}>`)
}

export type WriteProperty = (out: XmlWriter, tag: string, json: string) => void

/** Whether there was any child; `open` is called before the first. */
export function writeChildren(
  out: XmlWriter,
  { names, texts }: Members,
  write: WriteProperty,
  open: () => void = () => {},
): boolean {
  let hasChild = false
  for (let i = 0; i < names.length; i++) {
    const [name, json] = [names[i]!, texts[i]!]
    if (name === '#' || (name === '@' && isObject(json)) || json === '[]') continue
    if (!hasChild) open()
    hasChild = true
    write(out, mendName(name), json)
  }
  return hasChild
}

/** What stands between the tags of an object without children. */
export function ownText(members: Members): string {
  const json = textOf(members, '#')
  return json === undefined || json === 'null' ? '' : escapeText(scalarText(json))
}

export function writeProperty(out: XmlWriter, tag: string, json: string): void {
  if (isArray(json)) for (const element of readElements(json)) writeElement(out, tag, element)
  else writeElement(out, tag, json)
}

export function writeAttributes(members: Members): string {
  const json = textOf(members, '@')
  if (json === undefined || !isObject(json)) return ''
  const { names, texts } = readMembers(json)
  const nameApart = makeNames()
  return names
    .map((name, i) => {
      const text = texts[i] === 'null' ? '' : scalarText(texts[i]!)
      return ` ${nameApart(mendAttribute(name, text))}="${escapeAttribute(text)}"`
    })
    .join('')
}

/** No attribute stands twice in a tag: `a`, `a_`, `a_2`, `a_3` … */
function makeNames(): (name: string) => string {
  const used = new Set<string>()
  const counts = new Map<string, number>()
  return (name) => {
    let single = name
    let count = counts.get(name) ?? 0
    while (used.has(single)) single = `${name}_${++count > 1 ? count : ''}`
    counts.set(name, count)
    used.add(single)
    return single
  }
}

/** Namespaces in XML 1.0, section 3: no declaration may make one of these two the default. */
function mendAttribute(name: string, text: string): string {
  const isForbidden = /^http:\/\/www\.w3\.org\/(XML\/1998\/namespace|2000\/xmlns\/)$/.test(text)
  return name === 'xmlns' && isForbidden ? 'xmlns_' : mendName(name)
}

const scalarText = (json: string) => (isString(json) ? readString(json) : json)
