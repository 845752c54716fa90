/**
 * Readers of a board: the contest and the reader's roles in it are cached for at most a second, so that reading a board
 * costs no query. The contest is dropped from the cache as soon as it changes.
 */
import { LRUCache } from 'lru-cache'
import type { Actor } from '../../../accounts/actor.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Store } from '../../../store/store.ts'
import { requireJudgeScope } from '../../access.ts'
import type { Contest } from '../../contest-access/contest.ts'
import { type ContestAccess, isOutsider, type Standing } from '../../contest-access/contest-access.ts'
import { unknownContest } from '../contest-doors.ts'
import { contestChannel } from '../contest-log.ts'

const mostContests = 200
const mostReaders = 20_000
const freshMs = 1_000

type Kept<T> = { readonly value: T; readonly lookedAt: number; readonly clockAt: number }

export type BoardReaders = ReturnType<typeof makeBoardReaders>

type Needs = { store: Pick<Store, 'listen'>; clock: Clock; contestAccess: ContestAccess }

export function makeBoardReaders({ store, clock, contestAccess }: Needs) {
  const contests = new LRUCache<string, Kept<Contest>>({ max: mostContests })
  const standings = new LRUCache<string, Kept<Standing>>({ max: mostReaders })
  let changes = 0
  store.listen(contestChannel, () => {
    changes++
    contests.clear()
  })

  function readFresh<T extends object>(kept: LRUCache<string, Kept<T>>, key: string): T | undefined {
    const found = kept.get(key)
    if (!found) return undefined
    const isFresh = performance.now() - found.lookedAt < freshMs && Math.abs(clock.now() - found.clockAt) < freshMs
    return isFresh ? found.value : undefined
  }

  async function findContest(publicId: string): Promise<Contest> {
    const known = readFresh(contests, publicId)
    if (known) return known
    const [lookedAt, clockAt, before] = [performance.now(), clock.now(), changes]
    const contest = await contestAccess.findContest(publicId)
    if (!contest) throw unknownContest(publicId)
    // Caches only if nothing changed during the read, which may have missed it.
    if (changes === before) contests.set(publicId, { value: contest, lookedAt, clockAt })
    return contest
  }

  async function stand(actor: Actor, contest: Contest): Promise<Standing> {
    const { account } = actor
    if (!account) return contestAccess.stand(actor, contest)
    requireJudgeScope(actor)
    const key = `${contest.id} ${account.id} ${account.role}`
    const known = readFresh(standings, key)
    if (known) return { ...known, contest }
    const [lookedAt, clockAt] = [performance.now(), clock.now()]
    const standing = await contestAccess.stand(actor, contest)
    if (!isOutsider(standing)) standings.set(key, { value: standing, lookedAt, clockAt })
    return standing
  }

  return {
    /** Fails if the contest is hidden from the actor. */
    async find(actor: Actor, publicId: string): Promise<Standing> {
      const standing = await stand(actor, await findContest(publicId))
      if (isOutsider(standing)) throw unknownContest(publicId)
      return standing
    },
  }
}
