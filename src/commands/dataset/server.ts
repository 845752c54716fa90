/** A client of a running server for the commands about data sets, over their interface, with a token. */
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

export const remoteOf = (
  options: { readonly server?: string; readonly token?: string },
  environment: NodeJS.ProcessEnv,
): Remote =>
  makeRemote(
    options.server ?? (environment.GUILDHALL_SERVER || undefined),
    options.token ?? environment.GUILDHALL_TOKEN,
  )

/** The server's error message, as one line, and which item it is about. */
export async function readError(response: Response): Promise<{ message: string; itemPosition: number | undefined }> {
  const { error } = parseError(await response.text())
  const { itemPosition = error?.data?.invalidItems?.[0]?.itemPosition } = error?.data ?? {}
  return { message: error?.message ?? `the server answered ${response.status}.`, itemPosition }
}

export async function refusalOf(response: Response): Promise<OperatorError> {
  return new OperatorError((await readError(response)).message)
}

type ErrorBody = {
  error?: { message?: string; data?: { itemPosition?: number; invalidItems?: { itemPosition?: number }[] } }
}

function parseError(text: string): ErrorBody {
  try {
    return JSON.parse(text) as ErrorBody
  } catch {
    return {}
  }
}
