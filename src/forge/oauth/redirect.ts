/** Where a browser is sent back to: only to addresses that the app's owner has registered, letter by letter. */

/** Compared as text: what a parser makes of an address is another one's guess (RFC 9700, section 2.1). */
export const isRegistered = (address: string, registered: readonly string[]): boolean => registered.includes(address)

/** The app's own query stays as it is written. */
export function withAnswer(address: string, answer: Readonly<Record<string, string | undefined>>): string {
  const pairs = Object.entries(answer).filter((pair): pair is [string, string] => pair[1] !== undefined)
  return `${address}${address.includes('?') ? '&' : '?'}${new URLSearchParams(pairs)}`
}
