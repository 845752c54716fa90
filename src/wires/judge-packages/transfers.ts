/** How many packages come and go at a time, in all and by account: each takes a test or a file of memory, and the disk. */
import type { Actor } from '../../accounts/actor.ts'
import { Failure } from '../../base/failure.ts'

const mostOfOne = 2
const mostInAll = 8

export function makeTransfers() {
  const byAccount = new Map<number, number>()
  let total = 0

  /** Answers what ends the turn. */
  return async ({ account }: Actor): Promise<() => void> => {
    const id = account!.id
    const own = byAccount.get(id) ?? 0
    if (own >= mostOfOne || total >= mostInAll) {
      const message = 'Too many packages are under way: try again when one is done.'
      throw new Failure('limited', 'too-many-packages', message, { retryAfterSeconds: 5 })
    }
    byAccount.set(id, own + 1)
    total++
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      total--
      const left = byAccount.get(id)! - 1
      if (left > 0) byAccount.set(id, left)
      else byAccount.delete(id)
    }
  }
}
