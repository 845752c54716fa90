/** Items as XML: a property is a tag, an array repeats it, `@` holds attributes and `#` the text of a tag without children. */
import { Fields, NumberText, type Value, writeValue } from '../items/value.ts'
import { mendName } from './xml-names.ts'
import { escapeAttribute, escapeText } from './xml-text.ts'

export const xmlStart = (root: string): string => `<?xml version="1.0" encoding="UTF-8"?>\n<${root}>\n`
export const xmlEnd = (root: string): string => `</${root}>\n`

/** One item as an element of this name. */
export function writeElement(tag: string, value: Value): string {
  if (value === null) return `<${tag}/>`
  if (Array.isArray(value)) return `<${tag}>${value.map((element) => writeElement(tag, element)).join('')}</${tag}>`
  if (!(value instanceof Fields)) return `<${tag}>${escapeText(scalarText(value))}</${tag}>`
  const content = writeContent(value)
  const opening = tag + writeAttributes(value.get('@'))
  return content === '' ? `<${opening}/>` : `<${opening}>${content}</${tag}>`
}

/** What stands between an object's tags. */
export function writeContent(fields: Fields, write = writeProperty): string {
  const children = writeChildren(fields, write)
  if (children !== '') return children
  const text = fields.get('#')
  return text === undefined || text === null ? '' : escapeText(scalarText(text))
}

function writeChildren({ names, values }: Fields, write: typeof writeProperty): string {
  let text = ''
  for (let i = 0; i < names.length; i++) {
    const name = names[i]!
    const value = values[i]!
    if (name === '#' || (name === '@' && value instanceof Fields)) continue
    text += write(mendName(name), value)
  }
  return text
}

export function writeProperty(tag: string, value: Value): string {
  return Array.isArray(value) ? value.map((element) => writeElement(tag, element)).join('') : writeElement(tag, value)
}

export function writeAttributes(value: Value | undefined): string {
  if (!(value instanceof Fields)) return ''
  const used = new Set<string>()
  return value.names
    .map((name, i) => {
      const text = attributeText(value.values[i]!)
      let attribute = mendAttribute(name, text)
      while (used.has(attribute)) attribute += '_'
      used.add(attribute)
      return ` ${attribute}="${escapeAttribute(text)}"`
    })
    .join('')
}

const attributeText = (value: Value) => (value === null ? '' : scalarText(value))

/** Namespaces in XML 1.0, section 3: no declaration may make one of these two the default. */
function mendAttribute(name: string, text: string): string {
  const isForbidden = /^http:\/\/www\.w3\.org\/(XML\/1998\/namespace|2000\/xmlns\/)$/.test(text)
  return name === 'xmlns' && isForbidden ? 'xmlns_' : mendName(name)
}

function scalarText(value: Value): string {
  if (typeof value === 'string') return value
  return value instanceof NumberText ? value.text : writeValue(value)
}
