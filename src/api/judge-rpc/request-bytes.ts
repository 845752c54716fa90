/** The bytes that one request holds in the byte budgets: its body, its uploads, and the answer of its current call. */
import type { ServerResponse } from 'node:http'
import type { Budgets, ByteBudget, Hold } from '../../http/byte-budget.ts'
import { onceClosed } from '../../http/once-closed.ts'

export type RequestBytes = ReturnType<typeof makeRequestBytes>

/** Each is opened at its first use: most requests hold nothing. */
export function makeRequestBytes({ memory, files }: Budgets, payer: string, raw: ServerResponse) {
  const disconnect = () => raw.destroy()
  let isWatched = false
  let isOver = false
  const held: { body?: Hold; file?: Hold; answer?: Hold } = {}

  function open(part: keyof typeof held, budget: ByteBudget): Hold {
    if (!isWatched) onceClosed(raw, release)
    isWatched = true
    held[part] ??= budget.hold(payer, disconnect)
    // The client has disconnected: what its unfinished work still takes must be released.
    if (isOver) held[part].release()
    return held[part]
  }

  function releaseAnswer(): void {
    held.answer?.release()
    delete held.answer
  }

  function release(): void {
    isOver = true
    held.body?.release()
    held.file?.release()
    releaseAnswer()
  }

  return {
    body: () => open('body', memory),
    file: () => open('file', files),
    answer: () => open('answer', memory),
    /** In a batch, each answer is charged until it is written. */
    releaseAnswer,
    release,
  }
}
