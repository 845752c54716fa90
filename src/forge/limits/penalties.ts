/** Penalties: a caller who goes on while limited waits longer each time, and finally loses the token. */
import type { Clock } from '../../lib/clock.ts'
import type { Figures } from './figures.ts'

type Offence = { strikes: number; until: number; forgottenAt: number }

/** What is remembered at most; the oldest is forgotten first. */
const maxOffences = 20_000

export type Penalties = ReturnType<typeof makePenalties>

/** Kept by each server for itself: the limits are exact everywhere, the patience is each server's own. */
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
    /** Until when this budget stays closed beyond its window; 0 for one that does not. */
    closedUntil(key: string): number {
      const until = offences.get(key)?.until
      return until && until > clock.now() ? until : 0
    },

    /** One more refusal on a budget. Past patience the wait doubles with every further lot of as many. */
    strike(key: string, resetAt: number): number {
      const offence = note(key)
      const lots = Math.floor(offence.strikes / Math.max(1, figures.patience))
      if (lots > 0) {
        const waitMs = Math.min(figures.minute * 2 ** lots, figures.hour) * 1000
        // Nor is it over before the window that was refused.
        offence.until = Math.max(offence.until, resetAt, clock.now() + waitMs)
        // Not before the wait is over: who goes on through it would find the door open in the middle.
        offence.forgottenAt = Math.max(offence.forgottenAt, offence.until)
      }
      return Math.max(resetAt, offence.until)
    },

    /** Whether this refusal is the one too many; after a ban is lifted, as many more are. */
    isBanDue: (tokenId: number): boolean => note(`token:${tokenId}`).strikes % Math.max(1, figures['ban-after']) === 0,
  }
}
