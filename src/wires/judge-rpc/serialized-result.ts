/** A result that is JSON text already, and how an answer that holds one becomes text. */
import type { RpcAnswer } from './protocol.ts'

export class SerializedResult {
  readonly text: string

  constructor(result: object) {
    this.text = JSON.stringify(result)
  }
}

export function serializeAnswer(answer: RpcAnswer | readonly RpcAnswer[]): string {
  if (isList(answer)) return `[${answer.map(serializeAnswer).join(',')}]`
  if (!('result' in answer && answer.result instanceof SerializedResult)) return JSON.stringify(answer)
  return `{"jsonrpc":"2.0","id":${JSON.stringify(answer.id)},"result":${answer.result.text}}`
}

const isList = (answer: RpcAnswer | readonly RpcAnswer[]): answer is readonly RpcAnswer[] => Array.isArray(answer)
