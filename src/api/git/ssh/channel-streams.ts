/** The input and output of a command: the library's channel, slowed to the pace at which the client reads. */
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { PassThrough, type Readable, Writable } from 'node:stream'
import type { ServerChannel } from 'ssh2'

export type CommandStreams = {
  readonly input: Readable
  readonly output: Writable
  /** Whether anything was written to the output. */
  readonly isAnswering: boolean
  /** Aborted once the channel is closed, by either side. */
  readonly signal: AbortSignal
  /** Sends the message on the error stream, then closes the channel if it is still open. */
  end(code: number, message?: string): void
}

/** The socket's buffer holds at most this much: a client's window only says how much it would accept. */
const maxUnsent = 1024 * 1024
const sliceBytes = 32 * 1024

export function makeCommandStreams(channel: ServerChannel, socket: Socket): CommandStreams {
  const gone = new AbortController()
  const input = new PassThrough()
  let isAnswering = false
  let isEnded = false

  function end(code: number, message?: string): void {
    if (isEnded) return
    isEnded = true
    if (message !== undefined && !gone.signal.aborted) channel.stderr.write(message)
    channel.exit(code)
    channel.end()
  }

  const write = (bytes: Buffer) =>
    new Promise<void>((resolve, reject) => channel.write(bytes, (error) => (error ? reject(error) : resolve())))

  async function writeAll(bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length; at += sliceBytes) {
      // The library writes everything that the client's window allows, even if the socket's buffer is full.
      if (socket.writableLength > maxUnsent) await once(socket, 'drain', { signal: gone.signal })
      gone.signal.throwIfAborted()
      await untilGone(write(bytes.subarray(at, at + sliceBytes)), gone.signal)
    }
  }

  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      isAnswering = true
      writeAll(chunk).then(() => done(), done)
    },
    final(done) {
      end(0)
      done()
    },
  })
  output.on('error', () => {})
  input.on('error', () => {})
  channel.on('error', () => {})
  channel.once('close', () => {
    gone.abort(new Error('the client closed its channel'))
    output.destroy()
    input.destroy()
  })
  channel.pipe(input)
  return {
    input,
    output,
    get isAnswering() {
      return isAnswering
    },
    signal: gone.signal,
    end,
  }
}

/** A closed channel never calls back. */
function untilGone(act: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    act.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
