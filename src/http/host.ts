/** Which Host headers name a host: one that is forged would get into links, and into what caches before us keep. */

/** Names, IPv4 and IPv6 addresses, each with or without a port. */
const hostForm = /^(?:[\w.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i

/** An empty one stands for none (RFC 9112, section 3.2). */
export const isHost = (host: string): boolean => hostForm.test(host) && URL.canParse(`http://${host}`)
