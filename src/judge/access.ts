/**
 * Who may see or change what in the judge, decided here alone: which roles may do an act at all, and what ownership adds.
 * The contract's order of refusals is sign-in (17), role (8), switch (15), existence (6), ownership (8), state (10), so a
 * verb calls `requireAct` first, and asks about ownership once it has found what it acts on.
 */
import { type Actor, isAdmin, type Role, requireRole, requireSignIn, type SignedIn } from '../accounts/actor.ts'
import { hasScope } from '../accounts/tokens/token.ts'
import { demand } from '../lib/failure.ts'

const authors = ['problem_setter', 'admin'] as const
const submitters = ['contestant', 'problem_setter', 'admin'] as const
const executors = ['worker', 'admin'] as const
const admins = ['admin'] as const

/** The roles that may do each act, and the words of the refusal: "Your role (worker) may not …". */
const acts = {
  createProblem: [authors, 'make problems'],
  updateProblem: [authors, 'change problems'],
  deleteProblem: [authors, 'delete problems'],
  writeTestCases: [authors, 'write test cases'],
  rejudge: [authors, 'rejudge submissions'],
  submit: [submitters, 'submit'],
  deleteSubmission: [submitters, 'delete submissions'],
  claim: [executors, 'claim submissions'],
  judge: [executors, 'judge submissions'],
  registerExecutor: [executors, 'offer to judge'],
  gradeResults: [authors, 'make grade sheets'],
  teach: [authors, 'make classes'],
  makeContests: [authors, 'make contests'],
  takePart: [submitters, 'take part in contests'],
  attend: [submitters, 'join classes'],
  overseeJudging: [admins, 'oversee the judging'],
} satisfies Record<string, readonly [roles: readonly Role[], phrase: string]>

export type JudgeAct = keyof typeof acts

/** Refuses those who have not signed in, and those whose role may not do the act. */
export function requireAct(actor: Actor, act: JudgeAct): asserts actor is SignedIn {
  const [roles, phrase] = acts[act]
  requireRole(actor, roles, phrase)
}

/** Every role may read problems, test cases and submissions; what is hidden in them is decided below. */
export function requireReader(actor: Actor): asserts actor is SignedIn {
  requireSignIn(actor)
}

/** A token serves as a session does if it is a classic personal one with the scope `judge`. */
export function requireJudgeScope({ credential }: Actor): void {
  if (credential.kind !== 'token') return
  const { token } = credential
  demand(
    token.kind === 'classic' && hasScope(token, 'judge'),
    'forbidden',
    'scope-missing',
    'This needs a session, or a classic personal token with the scope judge.',
  )
}

type OwnedProblem = { readonly authorId: number }
type ShownProblem = OwnedProblem & { readonly isHeld: boolean }
type OwnedSubmission = { readonly author: { readonly id: number }; readonly problem: OwnedProblem }

/** A problem belongs to its author for as long as that account is a problem setter, and to every admin. */
export const ownsProblem = (actor: SignedIn, { authorId }: OwnedProblem): boolean =>
  isAdmin(actor) || (actor.account.role === 'problem_setter' && authorId === actor.account.id)

/** A problem that is held does not exist for others, nor do its tests and submissions; executors judge it all the same. */
export const maySeeProblem = (actor: SignedIn, problem: ShownProblem): boolean =>
  !problem.isHeld || isWorker(actor) || ownsProblem(actor, problem)

/** In lists, and with its files, one that is held is there for who keeps it alone: judging takes neither. */
export const mayFindProblem = (actor: SignedIn, problem: ShownProblem): boolean =>
  !problem.isHeld || ownsProblem(actor, problem)

/** Those that are held, too. */
export const mayFindEveryProblem = (actor: SignedIn): boolean => isAdmin(actor)

/** `phrase` completes "only its author may …". */
export function demandOwnProblem(actor: SignedIn, problem: OwnedProblem, phrase: string): void {
  const message = `Only the author of this problem may ${phrase}.`
  demand(ownsProblem(actor, problem), 'forbidden', 'not-yours', message)
}

/** How a problem is judged may tell its answers, so that it is for those who keep the problem and for executors. */
export const maySeeJudging = (actor: SignedIn, problem: OwnedProblem): boolean =>
  isWorker(actor) || ownsProblem(actor, problem)

export function demandJudging(actor: SignedIn, problem: OwnedProblem): void {
  const message = 'Only its author, admins and executors may read how a problem’s tests are judged.'
  demand(maySeeJudging(actor, problem), 'forbidden', 'not-yours', message)
}

/** Executors need the hidden tests to judge with. */
export const maySeeHiddenTests = (actor: SignedIn, problem: OwnedProblem): boolean =>
  isWorker(actor) || ownsProblem(actor, problem)

/** The source code and the report are for the submission's author, the problem's owner and the executors. */
export const maySeeContent = (actor: SignedIn, { author, problem }: OwnedSubmission): boolean =>
  author.id === actor.account.id || isWorker(actor) || ownsProblem(actor, problem)

export function demandOwnSubmission(actor: SignedIn, authorId: number): void {
  const isOwn = isAdmin(actor) || authorId === actor.account.id
  demand(isOwn, 'forbidden', 'not-yours', 'You may delete only your own submissions.')
}

export const mayDeleteWhileExecuting = (actor: SignedIn): boolean => isAdmin(actor)

/** Without naming its lease, the account that claimed a submission may change it, and so may every admin. */
export const mayChangeAnyClaim = (actor: SignedIn): boolean => isAdmin(actor)

/** The claims of a worker account tell that an executor is there; an admin who claims by hand is none. */
export const isWorker = (actor: SignedIn): boolean => actor.account.role === 'worker'
