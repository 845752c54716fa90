/** Redirect addresses: a browser is sent only to addresses that the app's owner has registered, compared exactly. */

/** Compared as text: parsers differ in what they make of an address (RFC 9700, section 2.1). */
export const isRegistered = (address: string, registered: readonly string[]): boolean => registered.includes(address)

/** Keeps the app's own query as written. */
export function withAnswer(address: string, answer: Readonly<Record<string, string | undefined>>): string {
  const pairs = Object.entries(answer).filter((pair): pair is [string, string] => pair[1] !== undefined)
  return `${address}${address.includes('?') ? '&' : '?'}${new URLSearchParams(pairs)}`
}
