/**
 * Access control of the judge, all of it in this file: which roles may do which act, and what ownership adds. The
 * contract's order of refusals is sign-in (17), role (8), switch (15), existence (6), ownership (8), state (10). So a
 * verb calls `requireAct` first, and checks ownership once it has found its object.
 */
import { type Actor, isAdmin, type Role, requireRole, requireSignIn, type SignedIn } from '../accounts/actor.ts'
import { hasScope } from '../accounts/tokens/token.ts'
import { demand } from '../lib/failure.ts'

const authors = ['problem_setter', 'admin'] as const
const submitters = ['contestant', 'problem_setter', 'admin'] as const
const executors = ['worker', 'admin'] as const
const admins = ['admin'] as const

/** The roles that may do each act, and the end of the refusal: "Your role (worker) may not …". */
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

/** Refuses anonymous callers, and roles that may not do the act. */
export function requireAct(actor: Actor, act: JudgeAct): asserts actor is SignedIn {
  const [roles, phrase] = acts[act]
  requireRole(actor, roles, phrase)
}

/** Every role may read problems, test cases and submissions; the functions below decide what is hidden. */
export function requireReader(actor: Actor): asserts actor is SignedIn {
  requireSignIn(actor)
}

/** Of all tokens, only a classic personal token with the scope `judge` counts like a session. */
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

/** A problem is owned by its author, as long as that account is a problem setter, and by every admin. */
export const ownsProblem = (actor: SignedIn, { authorId }: OwnedProblem): boolean =>
  isAdmin(actor) || (actor.account.role === 'problem_setter' && authorId === actor.account.id)

/** To others a held problem does not exist, nor do its tests and submissions. Executors still judge it. */
export const maySeeProblem = (actor: SignedIn, problem: ShownProblem): boolean =>
  !problem.isHeld || isWorker(actor) || ownsProblem(actor, problem)

/** In lists and downloads of files only owners find a held problem: judging needs neither. */
export const mayFindProblem = (actor: SignedIn, problem: ShownProblem): boolean =>
  !problem.isHeld || ownsProblem(actor, problem)

/** Including held ones. */
export const mayFindEveryProblem = (actor: SignedIn): boolean => isAdmin(actor)

/** `phrase` completes "only its author may …". */
export function demandOwnProblem(actor: SignedIn, problem: OwnedProblem, phrase: string): void {
  const message = `Only the author of this problem may ${phrase}.`
  demand(ownsProblem(actor, problem), 'forbidden', 'not-yours', message)
}

/** The judging settings may reveal answers, so only owners and executors see them. */
export const maySeeJudging = (actor: SignedIn, problem: OwnedProblem): boolean =>
  isWorker(actor) || ownsProblem(actor, problem)

export function demandJudging(actor: SignedIn, problem: OwnedProblem): void {
  const message = 'Only its author, admins and executors may read how a problem’s tests are judged.'
  demand(maySeeJudging(actor, problem), 'forbidden', 'not-yours', message)
}

/** Executors need the hidden tests for judging. */
export const maySeeHiddenTests = (actor: SignedIn, problem: OwnedProblem): boolean =>
  isWorker(actor) || ownsProblem(actor, problem)

/** The source code and the report are visible to the submission's author, the problem's owners and executors. */
export const maySeeContent = (actor: SignedIn, { author, problem }: OwnedSubmission): boolean =>
  author.id === actor.account.id || isWorker(actor) || ownsProblem(actor, problem)

export function demandOwnSubmission(actor: SignedIn, authorId: number): void {
  const isOwn = isAdmin(actor) || authorId === actor.account.id
  demand(isOwn, 'forbidden', 'not-yours', 'You may delete only your own submissions.')
}

export const mayDeleteWhileExecuting = (actor: SignedIn): boolean => isAdmin(actor)

/** Only the account that claimed a submission, or an admin, may change it without naming the lease. */
export const mayChangeAnyClaim = (actor: SignedIn): boolean => isAdmin(actor)

/** A worker account's claims show that an executor is connected; an admin who claims by hand is no executor. */
export const isWorker = (actor: SignedIn): boolean => actor.account.role === 'worker'
