/** A result that is JSON text already, and how an answer that holds one becomes text. */
import { hasLongTexts, serializeWithLongTexts } from './long-text.ts'
import type { RpcAnswer } from './protocol.ts'

export class SerializedResult {
  readonly text: string

  constructor(result: object) {
    this.text = JSON.stringify(result)
  }
}

/** In pieces where the result holds long texts. */
export function serializeAnswer(answer: RpcAnswer): string | Iterable<string> {
  if (!('result' in answer)) return JSON.stringify(answer)
  if (!(answer.result instanceof SerializedResult))
    return hasLongTexts(answer.result) ? serializeWithLongTexts(answer) : JSON.stringify(answer)
  return `{"jsonrpc":"2.0","id":${JSON.stringify(answer.id)},"result":${answer.result.text}}`
}
