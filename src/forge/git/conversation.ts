/** One git process between two streams: fed from the request, heard into the response, ended when the client goes away. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Transform, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Failure } from '../../base/failure.ts'
import { asMissing, endGit } from './process.ts'

export type Conversation = {
  readonly child: ChildProcessWithoutNullStreams
  readonly input: Readable
  readonly output: Writable
  /** What git says goes through it. */
  readonly filter?: Transform
  readonly signal: AbortSignal
  /** So much is taken from the client, whether git wants it or lets it go by, before the connection is cut. */
  readonly maxInputBytes: number
}

const killAfterMs = 5_000

/** Answers git's exit code and the first of its complaints. The output is left open. */
export async function converse(conversation: Conversation): Promise<{ code: number; complaint: string }> {
  const { child, output, filter, signal } = conversation
  const stop = () => endGit(child, 'SIGTERM')
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  let complaint = ''
  child.stderr.on('data', (chunk: Buffer) => {
    if (complaint.length < 2_000) complaint += chunk.toString()
  })
  const ended = once(child, 'close').catch((error) => {
    throw asMissing(error)
  })
  const fed = feed(conversation)
  const heard = pipeline([child.stdout, ...(filter ? [filter] : []), output], { end: false })
  try {
    const [[code]] = await Promise.all([ended, heard, fed])
    return { code: code ?? 1, complaint }
  } catch (error) {
    // What git has done and not done is only known once it has ended.
    for (const rest of [heard, fed]) rest.catch(() => {})
    stop()
    const last = setTimeout(() => endGit(child, 'SIGKILL'), killAfterMs)
    await ended.catch(() => {})
    clearTimeout(last)
    throw error
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/**
 * git stops reading when it has seen enough to refuse: the rest of the pack is let go by, or the client would never come
 * to read why.
 */
function feed({ child, input, maxInputBytes }: Conversation): Promise<void> {
  return new Promise((resolve, reject) => {
    let taken = 0
    const giveUp = () => {
      input.unpipe(child.stdin)
      input.resume()
    }
    input.on('data', (chunk: Buffer) => {
      taken += chunk.length
      // It may have been small on its way here: a little, unpacked, can be without end.
      if (taken > maxInputBytes) input.destroy()
    })
    const breakOff = () => {
      if (input.readableEnded) return resolve()
      reject(new Failure('invalid', 'broken-off', 'The request broke off, or was not what git sends.'))
    }
    child.stdin.on('error', giveUp)
    child.on('close', giveUp)
    input.once('end', resolve)
    input.once('error', breakOff)
    input.once('close', breakOff)
    if (input.destroyed) {
      child.stdin.end()
      return breakOff()
    }
    input.pipe(child.stdin)
  })
}
