/** Stops forged Host headers, which would end up in links and in caches before this server. */

/** Names, IPv4 and IPv6 addresses, each with an optional port. */
const hostForm = /^(?:[\w.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i

/** An empty Host counts as none (RFC 9112, section 3.2). */
export const isHost = (host: string): boolean => hostForm.test(host) && URL.canParse(`http://${host}`)
