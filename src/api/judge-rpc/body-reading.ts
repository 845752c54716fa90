/** Reading of bodies: a small one is read whole, a large one is processed as it arrives, whatever its content type. */
import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { ByteBudget, Hold } from '../../http/byte-budget.ts'
import { Failure } from '../../lib/failure.ts'
import { networkOf } from '../../lib/network.ts'
import { refusal } from './uploads/large-body.ts'

export const maxBodyBytes = 96 * 1024 * 1024
/** A longer body, or one without a content length, is processed as it arrives. */
const smallBodyBytes = 1024 * 1024

/**
 * A small body as a Buffer, a large one as a stream. Throws an error with a `statusCode`, or a failure of the budget.
 */
export async function takeBody(
  request: FastifyRequest,
  payload: IncomingMessage,
  budget: ByteBudget,
): Promise<Buffer | IncomingMessage> {
  const length = Number(request.headers['content-length'])
  if (length > maxBodyBytes) throw refusal(`The body is over ${maxBodyBytes} bytes.`, 413)
  if (!(length <= smallBodyBytes)) return payload
  // The caller is known only after the body has arrived: until then its network pays.
  return readSmall(payload, length, () => budget.hold(networkOf(request.ip), () => payload.destroy()))
}

/** Most bodies arrive in one chunk, and are not counted. */
async function readSmall(payload: IncomingMessage, length: number, openHold: () => Hold): Promise<Buffer> {
  const chunks: Buffer[] = []
  let received = 0
  let hold: Hold | undefined
  try {
    // The stream is not destroyed if there is no room for the body: the response must still be sent on it.
    for await (const chunk of payload.iterator({ destroyOnReturn: false })) {
      chunks.push(chunk)
      received += chunk.length
      if (received >= length) break
      hold ??= openHold()
      await hold.take(chunk.length)
    }
  } catch (error) {
    throw error instanceof Failure ? error : refusal('The body broke off.', 400)
  } finally {
    hold?.release()
  }
  return Buffer.concat(chunks)
}
