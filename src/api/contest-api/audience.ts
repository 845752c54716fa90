/** Who is shown exactly the same of a contest. */
import { type Actor, isAdmin } from '../../accounts/actor.ts'
import type { Standing } from '../../judge/contest-access/contest-access.ts'

type Seat = Pick<Standing, 'isJury' | 'teamId'>

/** Equal names mean that every object of the contest looks the same to both readers, or is hidden from both. */
export function nameAudience(actor: Actor, seat: Seat, isStrict: boolean): string {
  const role = seat.isJury ? 'jury' : seat.teamId === null ? 'public' : `team ${seat.teamId}`
  return `${role}, ${nameReader(actor, seat)}, ${isStrict ? 'strict' : 'full'}`
}

/** A setter sees more of their own problems, and a member of a team only their own account. */
function nameReader(actor: Actor, { isJury, teamId }: Seat): string {
  const { account } = actor
  if (!account) return 'anonymous'
  if (isAdmin(actor)) return 'admin'
  const isAlone = account.role === 'problem_setter' || (teamId !== null && !isJury)
  return isAlone ? `account ${account.id}` : 'signed in'
}
