/** Signatures: an address with one gives access to a data set's items until it expires. */
import { createHmac, timingSafeEqual } from 'node:crypto'

const digits = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'

type Signed = { readonly id: string; readonly signingKey: string }

/** A cache of recent signatures: a data set that is requested often is signed with the same expiry for a minute. */
const made = new Map<string, string>()
const maxMade = 1_000

/** With `expiresAtMs` 0 the signature never expires. */
export function signItems(dataset: Signed, expiresAtMs: number): string {
  const name = `${dataset.id}.${dataset.signingKey}.${expiresAtMs}`
  let signature = made.get(name)
  if (signature === undefined) {
    signature = Buffer.from(`0.${expiresAtMs}.${makeMac(dataset, String(expiresAtMs))}`).toString('base64url')
    if (made.size >= maxMade) made.clear()
    made.set(name, signature)
  }
  return signature
}

export function isSignatureValid(dataset: Signed, signature: string, nowMs: number): boolean {
  const text = Buffer.from(signature, 'base64url')
  const spelled = text.toString('base64url')
  // Python's published client pads it.
  if (signature !== spelled && signature !== spelled.padEnd(Math.ceil(spelled.length / 4) * 4, '=')) return false
  const [version, expiry, mac, ...rest] = text.toString().split('.')
  if (version !== '0' || expiry === undefined || mac === undefined || rest.length > 0) return false
  if (!/^\d{1,15}$/.test(expiry) || (expiry !== '0' && Number(expiry) <= nowMs)) return false
  const [given, expected] = [Buffer.from(mac), Buffer.from(makeMac(dataset, expiry))]
  return given.length === expected.length && timingSafeEqual(given, expected)
}

function makeMac({ id, signingKey }: Signed, expiry: string): string {
  const hex = createHmac('sha256', signingKey).update(`0.${expiry}.${id}`).digest('hex').slice(0, 30)
  let rest = BigInt(`0x${hex}`)
  let text = ''
  for (; rest > 0n; rest /= 62n) text = digits[Number(rest % 62n)] + text
  return text || '0'
}
