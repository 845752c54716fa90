/** What a command reads and writes: the library's channel, held to what the client really reads. */
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { PassThrough, type Readable, Writable } from 'node:stream'
import type { ServerChannel } from 'ssh2'

export type CommandStreams = {
  readonly input: Readable
  readonly output: Writable
  /** Whether anything was written to the output. */
  readonly isAnswering: boolean
  /** Aborted once the channel is closed, by whoever. */
  readonly signal: AbortSignal
  /** What it is told beside the output; then the end, if it has not come. */
  end(code: number, message?: string): void
}

/** More than this the socket holds of nobody: a client's window says only how much it would take. */
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
      // The library passes all on that the client's window allows, whether the socket takes it or not.
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

/** A channel that is closed never calls back. */
function untilGone(act: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    act.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
