/** Reading of bodies: a small one is read whole, a large one as it arrives, whatever its content type. */
import type { IncomingMessage } from 'node:http'
import { networkOf } from '../../base/network.ts'
import type { ByteBudget, Hold } from '../byte-budget.ts'
import type { HttpRequest } from '../http-request.ts'
import { refusal } from './uploads/large-body.ts'

export const maxBodyBytes = 96 * 1024 * 1024
/** A longer body, or one without a content length, is read as it arrives. */
const smallBodyBytes = 1024 * 1024

const nothing = Buffer.alloc(0)

/** A small body as a Buffer, a large one as a stream. It throws what has a `statusCode`, or a failure of the budget. */
export function takeBody(request: HttpRequest, budget: ByteBudget): Promise<Buffer> | IncomingMessage {
  const { raw, headers } = request
  const length = Number(headers['content-length'])
  if (length <= smallBodyBytes) {
    // Who it is from is known once it is there: until then its network pays for it.
    return readSmall(raw, length, () => budget.hold(networkOf(request.ip), () => raw.destroy()))
  }
  if (length > maxBodyBytes) throw refusal(`The body is over ${maxBodyBytes} bytes.`, 413)
  return raw
}

/** Most bodies come with their heads, and are there once Node is done with what came. */
async function readSmall(payload: IncomingMessage, length: number, open: () => Hold): Promise<Buffer> {
  if (length === 0) return nothing
  await undefined
  // Measured: without listeners a short call takes a tenth less time.
  const whole: Buffer | null = payload.readableLength >= length ? payload.read() : null
  return whole ?? readPieces(payload, length, open)
}

/** What is there of it is paid for until the rest has come. */
function readPieces(payload: IncomingMessage, length: number, open: () => Hold): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let received = 0
    let hold: Hold | undefined
    // Node lets no more of it through than its head has said.
    payload.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      received += chunk.length
      if (received >= length) {
        hold?.release()
        return resolve(chunks.length === 1 ? chunk : Buffer.concat(chunks))
      }
      hold ??= open()
      const waiting = hold.take(chunk.length)
      if (!waiting) return
      payload.pause()
      waiting.then(
        () => payload.resume(),
        (error) => {
          hold?.release()
          reject(error)
        },
      )
    })
    payload.on('close', () => {
      // It comes in any case, and to make an error takes longer than to read most bodies.
      if (received >= length) return
      hold?.release()
      reject(refusal('The body broke off.', 400))
    })
  })
}
