/**
 * Turns at a host that receives for several owners: of those who ask for a place there, whoever was served longest ago is
 * next, so that nobody holds all places of a host that others call, too.
 */

/** Who asked so long ago and found no room has given up, or asks more seldom: nobody waits for them. */
const freshMs = 3_000
const mostHosts = 10_000

type Turns = {
  /** When an owner was last served here. */
  readonly served: Map<number, number>
  /** When an owner last asked in vain. */
  readonly refused: Map<number, number>
}

export function makeHostTurns(now: () => number = () => performance.now()) {
  const hosts = new Map<string, Turns>()
  let serving = 0

  return {
    /** Whether nobody else who wants a place at the host comes first. */
    isNext(host: string, owner: number): boolean {
      const turns = hosts.get(host)
      if (!turns) return true
      const own = turns.served.get(owner) ?? 0
      for (const [other, at] of turns.refused) {
        if (at < now() - freshMs) turns.refused.delete(other)
        else if (other !== owner && (turns.served.get(other) ?? 0) < own) return false
      }
      return true
    },

    noteServed(host: string, owner: number): void {
      const turns = hosts.get(host)
      turns?.refused.delete(owner)
      turns?.served.set(owner, ++serving)
    },

    /** From here on turns are kept at the host, until it is left by all. */
    noteRefused(host: string, owner: number, holders: Iterable<number>): void {
      const turns = hosts.get(host) ?? { served: new Map<number, number>(), refused: new Map<number, number>() }
      if (!hosts.has(host)) for (const holder of holders) turns.served.set(holder, ++serving)
      if (hosts.size >= mostHosts) hosts.delete(hosts.keys().next().value!)
      hosts.set(host, turns)
      turns.refused.set(owner, now())
    },

    noteEmpty(host: string): void {
      const turns = hosts.get(host)
      if (turns && [...turns.refused.values()].every((at) => at < now() - freshMs)) hosts.delete(host)
    },
  }
}
