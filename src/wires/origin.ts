/** The origin that a client used, scheme and host, with which the links in its answer begin. */
import type { Asked } from './http-request.ts'

/** Names, IPv4 and IPv6 addresses, each with or without a port. */
const hostForm = /^(?:[\w.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i

/** Clients of one server mostly call it by one name. */
let lastHost: string | undefined

/** Whether a Host header names a host; an empty one stands for none (RFC 9112, section 3.2). */
export function isHost(host: string): boolean {
  if (host === lastHost) return true
  if (!hostForm.test(host) || !URL.canParse(`http://${host}`)) return false
  lastHost = host
  return true
}

/** HTTP/1.0 needs no Host, and a proxy may say anything of what it was asked for: then it is the address that was called. */
export function originOf({ protocol, host, socket }: Asked, baseUrl: string | undefined): string {
  if (baseUrl !== undefined) return baseUrl
  return `${protocol === 'https' ? 'https' : 'http'}://${isHost(host) ? host : calledAddress(socket)}`
}

function calledAddress({ localAddress = 'localhost', localPort }: Asked['socket']): string {
  const address = localAddress.includes(':') ? `[${localAddress}]` : localAddress
  return localPort === undefined ? address : `${address}:${localPort}`
}
