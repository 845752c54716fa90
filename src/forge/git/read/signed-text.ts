/** What a signed commit or tag holds: its signature, and the bytes that were signed. */

export type Signed = { readonly signature: string; readonly payload: Buffer }

/** More are no signature that anybody makes; what they sign is not looked at. */
const maxSignatureBytes = 64 * 1024

const headers = ['gpgsig', 'gpgsig-sha256']

/** git signs a commit without the headers that hold signatures, each with the lines that go on with a blank. */
export function readSignedCommit(bytes: Buffer): Signed | undefined {
  const end = bytes.indexOf('\n\n')
  const head = bytes.subarray(0, end < 0 ? bytes.length : end + 1)
  const kept: Buffer[] = []
  let signature: string | undefined
  let from = 0
  for (let at = head.indexOf('\ngpgsig'); at >= 0; at = head.indexOf('\ngpgsig', from - 1)) {
    const start = at + 1
    const name = headers.find((one) => head.toString('latin1', start, start + one.length + 1) === `${one} `)
    const stop = endOfHeader(head, start)
    kept.push(head.subarray(from, name ? start : stop))
    if (name === 'gpgsig') signature ??= readValue(head.subarray(start + 'gpgsig '.length, stop))
    from = stop
  }
  if (signature === undefined) return undefined
  return { signature, payload: Buffer.concat([...kept, bytes.subarray(from)]) }
}

/** After its last line, the end of that line included. */
function endOfHeader(head: Buffer, start: number): number {
  for (let at = head.indexOf('\n', start); at >= 0; at = head.indexOf('\n', at + 1))
    if (head[at + 1] !== 0x20) return at + 1
  return head.length
}

const readValue = (bytes: Buffer): string =>
  bytes.toString('latin1', 0, maxSignatureBytes).replaceAll('\n ', '\n').replace(/\n$/, '')

const begin = /^-----BEGIN (?:PGP SIGNATURE|PGP MESSAGE|SSH SIGNATURE|SIGNED MESSAGE)-----$/
const dashes = '\n-----BEGIN '

/** A tag ends with its signature: it begins at the last line that begins one. */
export function readSignedTag(bytes: Buffer): Signed | undefined {
  const from = bytes.indexOf('\n\n')
  for (let at = bytes.lastIndexOf(dashes); at > from && from >= 0; at = bytes.lastIndexOf(dashes, at - 1)) {
    const end = bytes.indexOf('\n', at + 1)
    const line = bytes.toString('latin1', at + 1, Math.min(end < 0 ? bytes.length : end, at + 60))
    if (!begin.test(line)) continue
    const signature = bytes.toString('latin1', at + 1, at + 1 + maxSignatureBytes).replace(/\n$/, '')
    return { signature, payload: bytes.subarray(0, at + 1) }
  }
  return undefined
}
