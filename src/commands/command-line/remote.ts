/** A client for commands that talk to a running server over HTTP: its address and a token. */
import { OperatorError } from '../../lib/failure.ts'

export const remoteOptions = {
  server: {
    type: 'string',
    hint: 'URL',
    sentence: 'The server; GUILDHALL_SERVER or http://localhost:8080 unless said.',
  },
  token: {
    type: 'string',
    hint: 'TOKEN',
    sentence: 'A token of yours; better in GUILDHALL_TOKEN, where no one else sees it.',
  },
} as const

export type RemoteGiven = { readonly server?: string; readonly token?: string }

export type RemoteServer = {
  readonly base: string
  readonly hasToken: boolean
  /** `path` begins with a slash. Throws a one-line error if the server does not answer. */
  send(method: string, path: string, options?: Sending): Promise<Response>
}

type Sending = { headers?: Record<string, string>; body?: Buffer | string; signal?: AbortSignal }

export function makeRemoteServer(address = 'http://localhost:8080', token?: string): RemoteServer {
  if (!URL.canParse(address))
    throw new OperatorError(`${address} is not an address: give one such as http://localhost:8080.`)
  const base = new URL(address).origin
  const credentials = token ? { authorization: `Bearer ${token}` } : undefined
  return {
    base,
    hasToken: credentials !== undefined,
    async send(method, path, { headers = {}, body, signal } = {}) {
      try {
        return await fetch(`${base}${path}`, {
          method,
          headers: { ...credentials, ...headers },
          ...(body !== undefined && { body: typeof body === 'string' ? body : new Uint8Array(body) }),
          ...(signal && { signal }),
        })
      } catch (error) {
        if (signal?.aborted) throw error
        const { cause } = error as { cause?: Error }
        const why = cause?.message ?? (error as Error).message
        throw new OperatorError(`${base} does not answer (${why}): start it, or say with --server where it is.`)
      }
    },
  }
}

export const adviseToken = (base: string): string =>
  `put a token of yours in GUILDHALL_TOKEN. Make one at ${base}/-/account/tokens.`

export const remoteServerOf = (options: RemoteGiven, environment: NodeJS.ProcessEnv): RemoteServer =>
  makeRemoteServer(
    options.server ?? (environment.GUILDHALL_SERVER || undefined),
    options.token ?? (environment.GUILDHALL_TOKEN || undefined),
  )
