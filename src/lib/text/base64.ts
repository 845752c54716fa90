/** Base64 of any length, decoded in slices: with or without line ends, blanks and padding, in either alphabet. */
import { makeSlices } from '../scheduling/slices.ts'

/** Characters decoded at a time. */
const partLength = 256 * 1024

/** Undefined if the text is not valid Base64. */
export async function decodeBase64(text: string): Promise<Buffer | undefined> {
  const slices = makeSlices()
  const decoded: Buffer[] = []
  /** An incomplete group of four, or the beginning of the padding. */
  let rest = ''
  for (let at = 0; at < text.length; at += partLength) {
    const part = rest + text.slice(at, at + partLength).replace(/[ \t-\r]+/g, '')
    const padding = part.indexOf('=')
    const whole = (padding < 0 ? part.length : padding) & ~3
    const group = part.slice(0, whole)
    if (/[^A-Za-z0-9+/_-]/.test(group)) return undefined
    decoded.push(Buffer.from(group, 'base64'))
    rest = part.slice(whole)
    if (rest.length > mostRest) return undefined
    if (slices.isDue(part.length)) await slices.pause()
  }
  // A single character encodes no byte.
  if (!/^(?:[A-Za-z0-9+/_-]{2,3})?={0,2}$/.test(rest)) return undefined
  return Buffer.concat([...decoded, Buffer.from(rest, 'base64')])
}

/** Three characters and their padding. */
const mostRest = 5
