/** JSON of strangers: no deeper than records are, and made of text that both databases take. */
import { demandImport, refuseImport } from './refusal.ts'

/** Records have five levels at most; the options of a repository are one of them. */
const maxDepth = 32

export function parseJson(bytes: Buffer, name: string): unknown {
  demandImport(isShallow(bytes), `${name} is nested too deep.`)
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) ?? {}
  } catch {
    throw refuseImport(`${name} is not JSON.`)
  }
}

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket] = [...'"\\{}[]'].map((letter) =>
  letter.charCodeAt(0),
)

/** Looked at before it is parsed: whoever walks through what was parsed goes as deep as it is. */
function isShallow(bytes: Buffer): boolean {
  let depth = 0
  let isText = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (isText) {
      if (byte === backslash) at++
      else if (byte === quote) isText = false
    } else if (byte === quote) isText = true
    else if (byte === openBrace || byte === openBracket) {
      if (++depth > maxDepth) return false
    } else if (byte === closeBrace || byte === closeBracket) depth--
  }
  return true
}
