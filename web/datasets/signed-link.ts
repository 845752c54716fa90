/** A link to items that needs no account: signed with the data set's own key, as published clients sign theirs. */
const digits = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'

export async function signLink(datasetId: string, secret: string, endsAt: number): Promise<string> {
  const text = new TextEncoder()
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', text.encode(secret), algorithm, false, ['sign'])
  const mac = new Uint8Array(await crypto.subtle.sign('HMAC', key, text.encode(`0.${endsAt}.${datasetId}`)))
  const hex = [...mac].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  const signature = `0.${endsAt}.${toBase62(BigInt(`0x${hex.slice(0, 30)}`))}`
  return btoa(signature).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

function toBase62(number: bigint): string {
  let rest = number
  let text = ''
  do {
    text = digits[Number(rest % 62n)]! + text
    rest /= 62n
  } while (rest > 0n)
  return text
}
