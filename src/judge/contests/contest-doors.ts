/** Access checks of contests: who may read one, who is on its jury. A private contest does not exist for outsiders. */
import { type Actor, requireSignIn, type SignedIn } from '../../accounts/actor.ts'
import { demand, Failure } from '../../lib/failure.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Contest } from '../contest-access/contest.ts'
import { type ContestAccess, isOutsider, type Standing } from '../contest-access/contest-access.ts'

/** Proof that the actor is on the jury; only these functions make one. */
export type JuryStanding = Standing & { readonly isJury: true; readonly actor: SignedIn }

export type ContestDoors = ReturnType<typeof makeContestDoors>

export function makeContestDoors(contestAccess: ContestAccess) {
  /** Fails if the contest is hidden from the actor. */
  async function find(actor: Actor, publicId: string, db?: Db): Promise<Standing> {
    const contest = await contestAccess.findContest(publicId, db)
    const standing = contest && (await contestAccess.stand(actor, contest, db))
    if (!standing || isOutsider(standing)) throw unknownContest(publicId)
    return standing
  }

  async function judge(actor: Actor, publicId: string, db?: Db): Promise<JuryStanding> {
    requireSignIn(actor)
    const standing = await find(actor, publicId, db)
    demand(standing.isJury, 'forbidden', 'not-of-jury', 'Only the jury of this contest may do that.')
    return { ...standing, isJury: true, actor }
  }

  return {
    find,
    judge,

    /** For changes by the jury; refused once the contest is finalized. */
    async change(actor: Actor, publicId: string, db?: Db): Promise<JuryStanding> {
      const standing = await judge(actor, publicId, db)
      demandOpen(standing.contest)
      return standing
    },
  }
}

export function demandOpen({ finalizedAt }: Contest): void {
  const message = 'The contest is finalized and can’t be changed unless an admin reopens it.'
  demand(finalizedAt === null, 'precondition', 'finalized', message)
}

export const unknownContest = (publicId: string) =>
  new Failure('not-found', 'contest-unknown', `There is no contest ${publicId}.`)
