/** A client of a running server for the commands `push` and `export`, over its data-set interface, with a token. */
import { OperatorError } from '../../base/failure.ts'

export type Remote = {
  send(method: string, path: string, options?: { headers?: Record<string, string>; body?: Buffer }): Promise<Response>
}

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

export function makeRemote(address = 'http://localhost:8080', token?: string): Remote {
  if (!URL.canParse(address))
    throw new OperatorError(`${address} is no address: give one such as http://localhost:8080.`)
  const base = new URL(address).origin
  return {
    async send(method, path, { headers = {}, body } = {}) {
      const credentials = token ? { authorization: `Bearer ${token}` } : undefined
      try {
        return await fetch(`${base}/v2${path}`, {
          method,
          headers: { ...credentials, ...headers },
          ...(body && { body: new Uint8Array(body) }),
        })
      } catch (error) {
        const { cause } = error as { cause?: Error }
        const why = cause?.message ?? (error as Error).message
        throw new OperatorError(`${base} does not answer (${why}): start it, or say with --server where it is.`)
      }
    },
  }
}

/** The server's error message, as one line. */
export async function refusalOf(response: Response): Promise<OperatorError> {
  const text = await response.text()
  const message = readMessage(text) ?? `the server answered ${response.status}.`
  return new OperatorError(message)
}

function readMessage(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { error?: { message?: string } }).error?.message
  } catch {
    return undefined
  }
}
