/** Text and names that any XML parser accepts, whatever the data holds. */

const nameStart =
  'A-Z_a-z\\u{C0}-\\u{D6}\\u{D8}-\\u{F6}\\u{F8}-\\u{2FF}\\u{370}-\\u{37D}\\u{37F}-\\u{1FFF}\\u{200C}-\\u{200D}\\u{2070}-\\u{218F}\\u{2C00}-\\u{2FEF}\\u{3001}-\\u{D7FF}\\u{F900}-\\u{FDCF}\\u{FDF0}-\\u{FFFD}\\u{10000}-\\u{EFFFF}'
const nameRest = `${nameStart}\\-.0-9\\u{B7}\\u{300}-\\u{36F}\\u{203F}-\\u{2040}`
const goodName = new RegExp(`^[${nameStart}:][${nameRest}:]*$`, 'u')
const goodStart = new RegExp(`^[${nameStart}]`, 'u')
const badCharacter = new RegExp(`[^${nameRest}]`, 'gu')

/** A Name of XML 1.0, section 2.3. */
export const isXmlName = (text: string): boolean => goodName.test(text)

const mended = new Map<string, string>()

/** A name without a colon (so that parsers aware of namespaces read it), with `_` for each bad character. */
export function mendName(text: string): string {
  let name = mended.get(text)
  if (name === undefined) {
    name = text.replace(badCharacter, '_')
    if (!goodStart.test(name)) name = `_${name}`
    // A data set may hold endless names; the book of mended ones may not.
    if (mended.size >= 10_000) mended.clear()
    mended.set(text, name)
  }
  return name
}

const needsCare = /[<>&"\r\n\t\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]/
const textCare = /[<>&\r]|[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g
const attributeCare = /[<>&"\r\n\t]|[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g
const entities: { readonly [character: string]: string } = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  '"': '&quot;',
  '\r': '&#13;',
  '\n': '&#10;',
  '\t': '&#9;',
}
const escapeOne = (character: string) => entities[character] ?? '\ufffd'

/** Forbidden characters become U+FFFD; a carriage return is written so that parsers keep it. */
export function escapeText(text: string): string {
  return needsCare.test(text) ? text.toWellFormed().replace(textCare, escapeOne) : text
}

export function escapeAttribute(text: string): string {
  return needsCare.test(text) ? text.toWellFormed().replace(attributeCare, escapeOne) : text
}
