/** The origin that a client used, scheme and host; links in its response begin with it. */
import { isHost } from '../../http/host.ts'
import type { CredentialRequest } from './credentials.ts'

/** HTTP/1.0 needs no Host header, and a proxy may send a malformed one: the socket's address is used then. */
export function originOf({ protocol, host, socket }: CredentialRequest, baseUrl: string | undefined): string {
  if (baseUrl !== undefined) return baseUrl
  return `${protocol === 'https' ? 'https' : 'http'}://${isHost(host) ? host : calledAddress(socket)}`
}

function calledAddress({ localAddress = 'localhost', localPort }: CredentialRequest['socket']): string {
  const address = localAddress.includes(':') ? `[${localAddress}]` : localAddress
  return localPort === undefined ? address : `${address}:${localPort}`
}
