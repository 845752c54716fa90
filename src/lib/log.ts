/** The log: structured lines in which no token, password or cookie ever appears. */
import { type DestinationStream, type Logger, pino } from 'pino'

export type Log = Logger

const secretPaths = ['authorization', 'cookie', 'password', 'token', 'secret', '["set-cookie"]', 'Password', 'Token']

export function makeLog(level: string, destination?: DestinationStream): Log {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: secretPaths.flatMap((name) => [
        name,
        name.startsWith('[') ? `*${name}` : `*.${name}`,
        name.startsWith('[') ? `*.*${name}` : `*.*.${name}`,
      ]),
      censor: '[hidden]',
    },
    serializers: { err: serializeError },
  }
  return destination ? pino(options, destination) : pino(options)
}

/** An error's message may quote what a caller sent: everything that looks like a secret is cut out. */
function serializeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: hideSecrets(String(error)) }
  return {
    type: error.name,
    message: hideSecrets(error.message),
    stack: hideSecrets(error.stack ?? ''),
    ...('code' in error && { code: error.code }),
  }
}

const secretShapes =
  /\b(?:gd[a-z]_|guildhall_pat_)[A-Za-z0-9_]{8,}|\b(?:bearer|basic|token)\s+[\w.~+/=-]{8,}|([?&][\w.-]*(?:token|secret|signature|password|code)=)[^&\s"]+|(:\/\/[^:/\s]+:)[^@/\s]+(?=@)/gi

export function hideSecrets(text: string): string {
  return text.replace(secretShapes, (_match, query?: string, userinfo?: string) => `${query ?? userinfo ?? ''}[hidden]`)
}
