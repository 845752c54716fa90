/** Connects one git process to a request's input and its output. It ends when the client goes away. */
import { PassThrough, type Transform, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { StartedProgram } from '../process/spawner/spawner.ts'
import type { OutputPace } from './client-pace.ts'

export type ProcessConnection = {
  readonly child: StartedProgram
  /** Git's input, batch by batch. An error thrown here ends git before it has all of its input. */
  readonly input: AsyncIterable<Buffer>
  readonly output: Writable
  /** Measures how fast the output is read. */
  readonly pace: OutputPace
  /** Git's output passes through this filter. */
  readonly filter?: Transform
  readonly signal: AbortSignal
  /**
   * Whether git only sees the end of its input when the client goes away or is refused. It then removes a partial pack,
   * which it would not if a signal ended it, and moves all refs of a whole push or none.
   */
  readonly endsByItself?: boolean
  /** Only git knows where the input ends: the client keeps its side open while it reads. */
  readonly isDuplex?: boolean
}

const killAfterMs = 5_000
/** Enough time to move every ref that a push may name. */
const selfEndMs = 300_000

/** Answers git's exit code and the beginning of its standard error. The output is left open. */
export async function connectProcess(conversation: ProcessConnection): Promise<{ code: number; complaint: string }> {
  const { child, output, pace, filter, signal, endsByItself = false, isDuplex = false } = conversation
  const stop = () => (endsByItself ? child.stdin?.end() : child.end('SIGTERM'))
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  const fed = isDuplex ? feedUntilEnd(conversation) : feed(conversation)
  // Git's output is always read to its end: a broken pipe would end git.
  const said = new PassThrough()
  child.stdout.on('error', (error) => said.destroy(error))
  child.stdout.pipe(said)
  const heard = pipeline([said, ...(filter ? [filter] : []), pace.into(output)], { signal })
  try {
    const [{ code, complaint }] = await Promise.all([child.ended, heard, fed])
    return { code: code ?? 1, complaint }
  } catch (error) {
    // Only when git has ended is it known what it has done.
    for (const rest of [heard, fed]) rest.catch(() => {})
    stop()
    child.stdout.unpipe(said)
    said.destroy()
    child.stdout.resume()
    const last = setTimeout(() => child.end('SIGKILL'), endsByItself ? selfEndMs : killAfterMs)
    await child.ended.catch(() => {})
    clearTimeout(last)
    throw signal.aborted ? signal.reason : error
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/**
 * Git stops reading once it has seen enough to refuse. The rest of the pack is discarded, so that the client gets to
 * read why.
 */
async function feed({ child, input }: ProcessConnection): Promise<void> {
  const stdin = child.stdin!
  for await (const batch of input) {
    if (stdin.writable && !stdin.write(batch)) await whenDrained(stdin)
  }
  stdin.end()
}

/** Input that comes after git has ended is dropped. */
function feedUntilEnd(conversation: ProcessConnection): Promise<unknown> {
  const feeding = feed(conversation)
  feeding.catch(() => {})
  return Promise.race([feeding, conversation.child.ended])
}

function whenDrained(stdin: Writable): Promise<void> {
  return new Promise((resolve) => {
    const goOn = () => {
      for (const event of drainEvents) stdin.off(event, goOn)
      resolve()
    }
    for (const event of drainEvents) stdin.on(event, goOn)
  })
}

const drainEvents = ['drain', 'error', 'close'] as const
