/** The origin that a client used, scheme and host, with which the links in its answer begin. */
import { isHost } from '../../http/host.ts'
import type { CredentialRequest } from './credentials.ts'

/** HTTP/1.0 needs no Host, and a proxy may say anything of what it was asked for: then it is the address that was called. */
export function originOf({ protocol, host, socket }: CredentialRequest, baseUrl: string | undefined): string {
  if (baseUrl !== undefined) return baseUrl
  return `${protocol === 'https' ? 'https' : 'http'}://${isHost(host) ? host : calledAddress(socket)}`
}

function calledAddress({ localAddress = 'localhost', localPort }: CredentialRequest['socket']): string {
  const address = localAddress.includes(':') ? `[${localAddress}]` : localAddress
  return localPort === undefined ? address : `${address}:${localPort}`
}
