/**
 * Readers of a board: the contest and its people are cached for at most a second, so that deciding what a reader may
 * see costs no query. They are dropped from the cache as soon as they change.
 */
import type { Actor } from '../../../accounts/actor.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Store } from '../../../store/store.ts'
import { requireJudgeScope } from '../../access.ts'
import type { Contest } from '../../contest-access/contest.ts'
import { type ContestAccess, type ContestPeople, isOfJury, isOutsider } from '../../contest-access/contest-access.ts'
import { unknownContest } from '../contest-doors.ts'
import { contestChannel, isOfSubmissions } from '../contest-log.ts'
import { makeRefreshedCache } from './refreshed-cache.ts'

const mostContests = 200

type Known = { readonly contest: Contest; readonly people: ContestPeople }

export type BoardReader = { readonly contest: Contest; readonly isJury: boolean }

export type BoardReaders = ReturnType<typeof makeBoardReaders>

type Needs = { store: Pick<Store, 'listen'>; clock: Clock; contestAccess: ContestAccess }

export function makeBoardReaders({ store, clock, contestAccess }: Needs) {
  async function load(publicId: string): Promise<Known | undefined> {
    const contest = await contestAccess.findContest(publicId)
    return contest && { contest, people: await contestAccess.readPeople(contest) }
  }

  const contests = makeRefreshedCache<Known>({ clock, most: mostContests, load, lookAgain: load })
  const stopListening = store.listen(contestChannel, (signal) => {
    if (!isOfSubmissions(signal)) contests.clear()
  })

  return {
    /** Fails if the contest is hidden from the actor. */
    async find(actor: Actor, publicId: string): Promise<BoardReader> {
      const known = await contests.read(publicId)
      if (!known) throw unknownContest(publicId)
      const { contest, people } = known
      const { account } = actor
      if (account) requireJudgeScope(actor)
      const isJury = account !== undefined && isOfJury(actor, contest, people.jury.has(account.id))
      const isWelcome = contest.isPublic || isJury || (account !== undefined && people.others.has(account.id))
      // Who was just added need not wait.
      if (!isWelcome) return standNow(actor, contest)
      return { contest, isJury }
    },

    async close(): Promise<void> {
      stopListening()
      await contests.close()
    },
  }

  async function standNow(actor: Actor, contest: Contest): Promise<BoardReader> {
    const standing = await contestAccess.stand(actor, contest)
    if (isOutsider(standing)) throw unknownContest(contest.publicId)
    return standing
  }
}
