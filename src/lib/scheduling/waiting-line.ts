/** The waiting acts of one caller, served member by member, each member's in order. */

type Waiting = { readonly member: string; readonly since: number }

export type WaitingLine<Waiter extends Waiting> = ReturnType<typeof makeWaitingLine<Waiter>>

export function makeWaitingLine<Waiter extends Waiting>() {
  const members = new Map<string, Waiter[]>()
  /** In order of arrival. */
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
    /** Among those that may be served, the first of the member with the least use. */
    findFirst(mayServe: (waiter: Waiter) => boolean, usedBy: (member: string) => number): Waiter | undefined {
      let best: { waiter: Waiter; used: number } | undefined
      for (const [member, own] of members) {
        const waiter = own.find(mayServe)
        if (!waiter) continue
        const used = members.size > 1 ? usedBy(member) : 0
        if (!best || used < best.used) best = { waiter, used }
      }
      return best?.waiter
    },
    take(waiter: Waiter): void {
      const { member } = waiter
      remove(waiter)
      const own = members.get(member)
      // Among equals, the member's next turn comes after the others'.
      if (!own) return
      members.delete(member)
      members.set(member, own)
    },
  }
}
