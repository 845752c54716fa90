/** A client for commands about problems and submissions, over JSON-RPC, with a token. */
import { randomUUID } from 'node:crypto'
import { OperatorError } from '../../lib/failure.ts'
import { adviseToken, type RemoteGiven, type RemoteServer, remoteServerOf } from '../command-line/remote.ts'

export type JudgeServer = {
  readonly server: RemoteServer
  // biome-ignore lint/suspicious/noExplicitAny: the shapes are the interface's own; each command takes what it reads.
  call(method: string, params: object): Promise<any>
}

/** A refusal by the server, in its own words and with the next step. */
export class JudgeRefusal extends OperatorError {
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

const unauthenticated = 17
const denied = 8
const exhausted = 9

export function judgeOf(options: RemoteGiven, environment: NodeJS.ProcessEnv): JudgeServer {
  const server = remoteServerOf(options, environment)
  return {
    server,
    async call(method, params) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: randomUUID(), method, params })
      const response = await server.send('POST', '/', { headers: { 'content-type': 'application/json' }, body })
      const answer = parseAnswer(await response.text())
      if (answer?.result) return answer.result
      if (answer?.error) throw new JudgeRefusal(answer.error.code, explain(answer.error, server))
      throw new OperatorError(
        `${server.base} answered ${response.status}, but not as Guildhall does: say with --server where it is.`,
      )
    },
  }
}

type RpcError = { readonly code: number; readonly message: string }

function parseAnswer(text: string): { result?: object; error?: RpcError } | undefined {
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === 'object' && parsed !== null ? parsed : undefined
  } catch {
    return undefined
  }
}

function explain({ code, message }: RpcError, { hasToken, base }: RemoteServer): string {
  if (code === unauthenticated && !hasToken) return `The server does not know who you are: ${adviseToken(base)}`
  if (code === unauthenticated)
    return `The server does not know the token in GUILDHALL_TOKEN: it may have expired, or belong to another server. Make a new one at ${base}/-/account/tokens.`
  if (code === denied || code === exhausted) return `${message} (${code})`
  return message
}
