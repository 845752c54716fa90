/** Splits a signed commit or tag into its signature and the signed bytes. */

export type Signed = { readonly signature: string; readonly payload: Buffer }

/** A longer signature is cut, and does not verify. */
const maxSignatureBytes = 64 * 1024
/** Larger objects are not verified: their hash would hold the event loop. */
export const maxSignedBytes = 4 * 1024 * 1024
/** Git writes one signature of a kind; a crafted object may have millions. Further ones are read as plain text. */
const mostSignatures = 8

const headers = ['\ngpgsig ', '\ngpgsig-sha256 ']

/** Git signs a commit without its signature headers. A header continues on lines that begin with a blank. */
export function readSignedCommit(bytes: Buffer): Signed | undefined {
  const end = bytes.indexOf('\n\n')
  const head = bytes.subarray(0, end < 0 ? bytes.length : end + 1)
  if (bytes.length > maxSignedBytes) return head.includes(headers[0]!) ? { signature: '', payload: bytes } : undefined
  const kept: Buffer[] = []
  let signature: string | undefined
  let from = 0
  for (let count = 0; count < mostSignatures; count++) {
    const found = headers.map((name) => head.indexOf(name, Math.max(from - 1, 0))).filter((at) => at >= 0)
    if (found.length === 0) break
    const start = Math.min(...found) + 1
    const stop = endOfHeader(head, start)
    const isOwn = head[start + 'gpgsig'.length] === 0x20
    kept.push(head.subarray(from, start))
    if (isOwn) signature ??= readValue(head.subarray(start + 'gpgsig '.length, stop))
    from = stop
  }
  if (signature === undefined) return undefined
  return { signature, payload: Buffer.concat([...kept, bytes.subarray(from)]) }
}

/** The offset after the header's last line end. */
function endOfHeader(head: Buffer, start: number): number {
  const length = head.toString('latin1', start).search(/\n(?! )/)
  return length < 0 ? head.length : start + length + 1
}

const readValue = (bytes: Buffer): string =>
  bytes.toString('latin1', 0, maxSignatureBytes).replaceAll('\n ', '\n').replace(/\n$/, '')

const begin = /^-----BEGIN (?:PGP SIGNATURE|PGP MESSAGE|SSH SIGNATURE|SIGNED MESSAGE)-----$/
const dashes = '\n-----BEGIN '

/** A tag's signature runs from the last line that begins one to the end. */
export function readSignedTag(bytes: Buffer): Signed | undefined {
  const from = bytes.indexOf('\n\n')
  let at = bytes.lastIndexOf(dashes)
  for (let count = 0; count < mostSignatures && at > from && from >= 0; count++) {
    const end = bytes.indexOf('\n', at + 1)
    const line = bytes.toString('latin1', at + 1, Math.min(end < 0 ? bytes.length : end, at + 60))
    if (begin.test(line)) {
      const signature = bytes.toString('latin1', at + 1, at + 1 + maxSignatureBytes).replace(/\n$/, '')
      return { signature, payload: bytes.subarray(0, at + 1) }
    }
    at = bytes.lastIndexOf(dashes, at - 1)
  }
  return undefined
}
