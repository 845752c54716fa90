/** Those of one caller who wait for a slot, served member by member, each member's in the order they came. */

type Waiting = { readonly member: string; readonly since: number }

export type WaitingLine<Waiter extends Waiting> = ReturnType<typeof makeWaitingLine<Waiter>>

export function makeWaitingLine<Waiter extends Waiting>() {
  const members = new Map<string, Waiter[]>()
  /** In the order they came. */
  const all = new Set<Waiter>()

  function remove(waiter: Waiter): void {
    all.delete(waiter)
    const own = members.get(waiter.member)!
    own.splice(own.indexOf(waiter), 1)
    if (own.length === 0) members.delete(waiter.member)
  }

  return {
    get length(): number {
      return all.size
    },
    /** Since when the first has waited. */
    get since(): number {
      return all.values().next().value!.since
    },
    get last(): Waiter {
      return [...all].at(-1)!
    },
    add(waiter: Waiter): void {
      all.add(waiter)
      const own = members.get(waiter.member)
      if (own) own.push(waiter)
      else members.set(waiter.member, [waiter])
    },
    remove,
    takeFirst(): Waiter {
      const [member, own] = members.entries().next().value!
      const first = own[0]!
      remove(first)
      // The member's next turn comes after those of the others.
      if (own.length > 0) {
        members.delete(member)
        members.set(member, own)
      }
      return first
    },
  }
}
