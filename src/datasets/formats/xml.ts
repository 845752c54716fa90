/**
 * Items as XML: a property is a tag, an array repeats it, `@` holds attributes and `#` the text of a tag without
 * children.
 */
import { isString, readString } from '../items/json-text.ts'
import type { JsonTree } from '../items/json-tree.ts'
import { sanitizeXmlName } from '../xml/xml-names.ts'
import { escapeAttribute, escapeText } from '../xml/xml-text.ts'
import type { XmlWriter } from '../xml/xml-writer.ts'

export const xmlStart = (root: string): string => `<?xml version="1.0" encoding="UTF-8"?>\n<${root}>\n`
export const xmlEnd = (root: string): string => `</${root}>\n`

/** Writes the value that starts here as an element of this name. */
export function writeElement(out: XmlWriter, tag: string, tree: JsonTree, at: number): void {
  if (tree.isObject(at)) writeObject(out, tag, readElement(tree, at))
  else if (tree.isArray(at)) {
    out.add(`<${tag}>`)
    for (const element of tree.elements(at)) writeElement(out, tag, tree, element)
    out.add(`</${tag}>`)
  } else {
    const json = tree.slice(at)
    out.add(json === 'null' ? `<${tag}/>` : `<${tag}>${escapeText(scalarText(json))}</${tag}>`)
  }
}

/** An object as XML: its attributes, its own text, and the properties that may be children. */
export type Element = {
  readonly tree: JsonTree
  readonly attributes: string
  /** The text between the tags of an element without children. */
  readonly text: string
  readonly names: readonly string[]
  readonly starts: readonly number[]
}

export function readElement(tree: JsonTree, at: number): Element {
  const { names, starts } = tree.members(at)
  const startOf = (name: string) => starts[names.indexOf(name)]
  const [attributesAt, textAt] = [startOf('@'), startOf('#')]
  const json = textAt === undefined ? 'null' : tree.slice(textAt)
  return {
    tree,
    attributes: attributesAt === undefined ? '' : writeAttributes(tree, attributesAt),
    text: json === 'null' ? '' : escapeText(scalarText(json)),
    names,
    starts,
  }
}

function writeObject(out: XmlWriter, tag: string, element: Element) {
  out.add(`<${tag}${element.attributes}`)
  if (writeChildren(out, element, writeProperty, () => out.add('>'))) out.add(`</${tag}>`)
  else out.add(element.text === '' ? '/>' : `>${element.text}</${tag}>`)
}

export type WriteProperty = (out: XmlWriter, tag: string, tree: JsonTree, at: number) => void

/** Answers whether there was any child; `open` is called before the first. */
export function writeChildren(
  out: XmlWriter,
  { tree, names, starts }: Element,
  write: WriteProperty,
  open: () => void = () => {},
): boolean {
  let hasChild = false
  for (let i = 0; i < names.length; i++) {
    const [name, at] = [names[i]!, starts[i]!]
    const isEmptyArray = tree.isArray(at) && !tree.isBranch(at)
    if (name === '#' || (name === '@' && tree.isObject(at)) || isEmptyArray) continue
    if (!hasChild) open()
    hasChild = true
    write(out, sanitizeXmlName(name), tree, at)
  }
  return hasChild
}

export function writeProperty(out: XmlWriter, tag: string, tree: JsonTree, at: number): void {
  if (tree.isArray(at)) for (const element of tree.elements(at)) writeElement(out, tag, tree, element)
  else writeElement(out, tag, tree, at)
}

function writeAttributes(tree: JsonTree, at: number): string {
  if (!tree.isObject(at)) return ''
  const { names, starts } = tree.members(at)
  const nameApart = makeNames()
  return names
    .map((name, i) => {
      const json = tree.slice(starts[i]!)
      const text = json === 'null' ? '' : scalarText(json)
      return ` ${nameApart(sanitizeAttribute(name, text))}="${escapeAttribute(text)}"`
    })
    .join('')
}

/** Makes attribute names unique within a tag: `a`, `a_`, `a_2`, `a_3` … */
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

/** Namespaces in XML 1.0, section 3: neither of these may be declared the default. Parsers refuse what is no URI. */
function sanitizeAttribute(name: string, text: string): string {
  if (name !== 'xmlns') return sanitizeXmlName(name)
  const isForbidden = /^http:\/\/www\.w3\.org\/(XML\/1998\/namespace|2000\/xmlns\/)$/.test(text)
  return isForbidden || !uriOnly.test(text) ? 'xmlns_' : name
}

/** RFC 3987: a text without the characters that no URI may have, in any script. */
const uriOnly = /^[^\s\p{Cc}<>"{}|\\^`]*$/u

const scalarText = (json: string) => (isString(json) ? readString(json) : json)
