/** Escapes text so that any XML parser accepts it, whatever the data holds. */

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
