/** One git process between two streams: fed from the request, heard into the response, ended when the client goes away. */
import type { Transform, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { OutputPace } from './client-pace.ts'
import type { StartedProgram } from './spawner/spawner.ts'

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
}

const killAfterMs = 5_000

/** Answers git's exit code and the first of its complaints. The output is left open. */
export async function converse(conversation: Conversation): Promise<{ code: number; complaint: string }> {
  const { child, output, pace, filter, signal } = conversation
  const stop = () => child.end('SIGTERM')
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  const fed = feed(conversation)
  const heard = pipeline([child.stdout, ...(filter ? [filter] : []), pace.into(output)], { signal })
  try {
    const [{ code, complaint }] = await Promise.all([child.ended, heard, fed])
    return { code: code ?? 1, complaint }
  } catch (error) {
    // What git has done and not done is only known once it has ended.
    for (const rest of [heard, fed]) rest.catch(() => {})
    stop()
    const last = setTimeout(() => child.end('SIGKILL'), killAfterMs)
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
