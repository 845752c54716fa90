/** One git process between two streams: fed from the request, heard into the response, ended when the client goes away. */
import { PassThrough, type Transform, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { StartedProgram } from '../process/spawner/spawner.ts'
import type { OutputPace } from './client-pace.ts'

export type Conversation = {
  readonly child: StartedProgram
  /** What git is given, batch by batch. What throws here ends git before it has all of it. */
  readonly input: AsyncIterable<Buffer>
  readonly output: Writable
  /** Tells how fast the output is read. */
  readonly pace: OutputPace
  /** What git says goes through it. */
  readonly filter?: Transform
  readonly signal: AbortSignal
  /**
   * Whether git is left to itself when the client goes away or is refused: it finds the end of its input. What had not
   * come whole it then removes, which it does not when it is ended by a signal; and of what had, it moves all refs or none.
   */
  readonly endsByItself?: boolean
  /** Nothing but git knows where the input ends: the client keeps its side open while it reads. */
  readonly isDuplex?: boolean
}

const killAfterMs = 5_000
/** Time enough to move every ref that a push may name. */
const selfEndMs = 300_000

/** Answers git's exit code and the first of its complaints. The output is left open. */
export async function converse(conversation: Conversation): Promise<{ code: number; complaint: string }> {
  const { child, output, pace, filter, signal, endsByItself = false, isDuplex = false } = conversation
  const stop = () => (endsByItself ? child.stdin?.end() : child.end('SIGTERM'))
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  const fed = isDuplex ? feedUntilEnd(conversation) : feed(conversation)
  // What git says is read to its end whoever listens, or git would be ended by what it says.
  const said = new PassThrough()
  child.stdout.on('error', (error) => said.destroy(error))
  child.stdout.pipe(said)
  const heard = pipeline([said, ...(filter ? [filter] : []), pace.into(output)], { signal })
  try {
    const [{ code, complaint }] = await Promise.all([child.ended, heard, fed])
    return { code: code ?? 1, complaint }
  } catch (error) {
    // What git has done and not done is only known once it has ended.
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
 * git stops reading when it has seen enough to refuse: the rest of the pack is let go by, or the client would never come
 * to read why.
 */
async function feed({ child, input }: Conversation): Promise<void> {
  const stdin = child.stdin!
  for await (const batch of input) {
    if (stdin.writable && !stdin.write(batch)) await whenDrained(stdin)
  }
  stdin.end()
}

/** What comes after git has ended is nobody's. */
function feedUntilEnd(conversation: Conversation): Promise<unknown> {
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
