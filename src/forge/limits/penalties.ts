/** Penalties: a caller that goes on while limited waits longer each time, and finally loses its token. */
import type { Clock } from '../../lib/clock.ts'
import type { Figures } from './figures.ts'

type Offence = { strikes: number; until: number; forgottenAt: number }

/** Bound on remembered offences; the oldest is dropped first. */
const maxOffences = 20_000

export type Penalties = ReturnType<typeof makePenalties>

/** Penalties are per server: the limits are exact across servers, but each server has its own patience. */
export function makePenalties({ clock, figures }: { clock: Clock; figures: Figures }) {
  const offences = new Map<string, Offence>()

  function note(key: string): Offence {
    const now = clock.now()
    const known = offences.get(key)
    if (known && known.forgottenAt > now) {
      known.strikes++
      return known
    }
    offences.delete(key)
    if (offences.size >= maxOffences) offences.delete(offences.keys().next().value!)
    const fresh = { strikes: 1, until: 0, forgottenAt: now + figures.hour * 1000 }
    offences.set(key, fresh)
    return fresh
  }

  return {
    /** The time until which a penalty keeps this budget closed beyond its window; 0 for none. */
    closedUntil(key: string): number {
      const until = offences.get(key)?.until
      return until && until > clock.now() ? until : 0
    },

    /** Records one more refusal. Beyond `patience` refusals, the wait doubles with every further `patience` of them. */
    strike(key: string, resetAt: number): number {
      const offence = note(key)
      const lots = Math.floor(offence.strikes / Math.max(1, figures.patience))
      if (lots > 0) {
        const waitMs = Math.min(figures.minute * 2 ** lots, figures.hour) * 1000
        // Never before the window's own reset.
        offence.until = Math.max(offence.until, resetAt, clock.now() + waitMs)
        // Not forgotten before the wait is over: otherwise a caller that goes on would be let in halfway.
        offence.forgottenAt = Math.max(offence.forgottenAt, offence.until)
      }
      return Math.max(resetAt, offence.until)
    },

    /** Whether this refusal is due a ban; after a ban is lifted, the next comes after as many again. */
    isBanDue: (tokenId: number): boolean => note(`token:${tokenId}`).strikes % Math.max(1, figures['ban-after']) === 0,
  }
}
