/** Runs the executor as a program of its own, with the options that `commands/executor.ts` documents. */
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { OperatorError } from '../lib/failure.ts'
import { makeLog } from '../lib/log.ts'
import { followParent } from '../lib/process/parent.ts'
import { runExecutor } from './executor.ts'
import { type Omission, omissions } from './sandboxes/omissions.ts'

export async function runExecutorCommand(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { values } = parseWords(argv)
  const stop = new AbortController()
  process.once('SIGTERM', () => stop.abort())
  followParent(() => stop.abort())
  // A terminal sends SIGINT to the whole process group; with `--token -` the server stops this process itself through
  // the pipe.
  process.on('SIGINT', () => values.token !== '-' && stop.abort())
  const handed = values.token === '-' ? readTokens(stop) : undefined
  const token = handed ? await handed() : (values.token ?? env.GUILDHALL_EXECUTOR_TOKEN ?? '')
  // Toolchains are started with this environment to print their version, and must not get the token.
  delete env.GUILDHALL_EXECUTOR_TOKEN
  if (!token)
    throw new OperatorError(
      "Give a worker account's token with --token or GUILDHALL_EXECUTOR_TOKEN; docs/executor.md says how to make one.",
    )
  await runExecutor({
    serverUrl: demandUrl(values.server),
    token,
    ...(handed && { renewToken: () => renewToken(handed) }),
    log: makeLog(env.GUILDHALL_LOG ?? 'info'),
    signal: stop.signal,
    name: values.name,
    instance: values.instance,
    parallelRuns: demandCount(values.parallel),
    languagesPath: values.languages ?? env.GUILDHALL_LANGUAGES,
    only: values.only?.split(',').filter(Boolean),
    statePath: values.state,
    without: demandOmissions(values.without),
    onReady: (_languages, short) => void process.send?.(short.length > 0 ? 'short' : 'ready'),
  })
}

function parseWords(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        server: { type: 'string' },
        token: { type: 'string' },
        parallel: { type: 'string' },
        name: { type: 'string' },
        instance: { type: 'string' },
        languages: { type: 'string' },
        only: { type: 'string' },
        state: { type: 'string' },
        without: { type: 'string' },
      },
    })
  } catch (error) {
    throw new OperatorError((error as Error).message.split('\n')[0]!)
  }
}

function demandUrl(text = ''): string {
  if (URL.canParse(text) && /^https?:/.test(text)) return text
  throw new OperatorError("Give the judge's address with --server, such as http://localhost:8080.")
}

function demandCount(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const count = Number(text)
  if (Number.isInteger(count) && count >= 1 && count <= 1024) return count
  throw new OperatorError('--parallel is a number from 1 to 1024.')
}

function demandOmissions(text = ''): Omission[] {
  return text
    .split(',')
    .filter(Boolean)
    .map((word) => {
      const found = omissions.find((name) => name === word)
      if (found) return found
      throw new OperatorError(`--without takes ${omissions.join(', ')}, not ${word}.`)
    })
}

/** Tells the parent process that its token was refused, and waits for another. */
function renewToken(nextToken: () => Promise<string>): Promise<string> {
  process.send?.('refused')
  return nextToken()
}

/** Each line is a token; the first is used at the start. The executor stops when the server closes the pipe. */
function readTokens(stop: AbortController): () => Promise<string> {
  const lines = createInterface({ input: process.stdin })
  lines.on('close', () => stop.abort())
  return () =>
    new Promise((resolve) => {
      lines.once('line', (line) => resolve(line.trim()))
      lines.once('close', () => resolve(''))
    })
}
