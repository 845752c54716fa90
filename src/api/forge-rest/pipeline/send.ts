/** The last step: sends a serialized response. A long one counts in the byte budget until the client has read it. */
import type { FastifyReply } from 'fastify'
import type { Hold } from '../../../http/byte-budget.ts'
import { cut, paidStream } from '../../../http/long-answers.ts'
import { onceClosed } from '../../../http/once-closed.ts'
import { isLongJson } from '../../json/sliced-json.ts'
import type { SerializedAnswer } from './serialize.ts'

/** A page of thirty items is shorter: it is written to the socket in one piece. */
const maxAtOnce = 512 * 1024

export function send(reply: FastifyReply, { status, headers, payload }: SerializedAnswer, hold?: Hold): void {
  reply.code(status).headers(headers)
  // Closes the connection instead of reading the rest of a body that is too large.
  if (status === 413) reply.header('connection', 'close')
  // Only HEAD has a long body without sending it.
  if (!hold && isLongJson(payload)) return void reply.header('content-length', payload.bytes).send()
  if (!hold) return void reply.send(payload)
  onceClosed(reply.raw, hold.release)
  if (isLongJson(payload)) {
    if (payload.bytes <= maxAtOnce) reply.send(Buffer.concat(payload.pieces))
    else reply.header('content-length', payload.bytes).send(paidStream(payload.pieces, hold))
    return
  }
  const bytes = typeof payload === 'string' ? Buffer.from(payload) : (payload as Buffer)
  if (bytes.length <= maxAtOnce) reply.send(bytes)
  else reply.header('content-length', bytes.length).send(paidStream(cut(bytes), hold))
}
