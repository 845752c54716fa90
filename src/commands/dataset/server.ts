/** A client for commands about data sets, over the server's interface, with a token. */
import { OperatorError } from '../../lib/failure.ts'
import { makeRemoteServer, type RemoteGiven, type RemoteServer, remoteServerOf } from '../command-line/remote.ts'

export type Remote = {
  readonly base: string
  readonly hasToken: boolean
  send(method: string, path: string, options?: { headers?: Record<string, string>; body?: Buffer }): Promise<Response>
}

export function makeRemote(address?: string, token?: string): Remote {
  return overDatasets(makeRemoteServer(address, token))
}

export const remoteOf = (options: RemoteGiven, environment: NodeJS.ProcessEnv): Remote =>
  overDatasets(remoteServerOf(options, environment))

const overDatasets = (server: RemoteServer): Remote => ({
  base: server.base,
  hasToken: server.hasToken,
  send: (method, path, options) => server.send(method, `/v2${path}`, options),
})

/** The server's error message in one line, and the position of the item that it is about. */
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
