/** Access to data sets: the owner may write; others may read as the general access says, or with a signature. */
import type { Actor } from '../accounts/actor.ts'
import { hasPermission, hasScope } from '../accounts/tokens/token.ts'
import { Failure } from '../lib/failure.ts'
import type { Dataset } from './dataset.ts'
import { isSignatureValid } from './signature.ts'

/** A data set's address: its id, or its owner's name and its own. */
export type NamedAddress = { readonly by: 'name'; readonly ownerName: string | null; readonly name: string }
export type DatasetAddress = { readonly by: 'id'; readonly id: string } | NamedAddress

/** Parses `{id}`, `username~name`, or `~name` for the caller's own; null if it is none of them. */
export function parseAddress(text: string): DatasetAddress | null {
  const parts = text.split('~')
  if (!parts.every((part) => /^[A-Za-z0-9-]*$/.test(part))) return null
  if (parts.length === 1) return { by: 'id', id: text }
  if (parts.length !== 2 || parts[1] === '') return null
  return { by: 'name', ownerName: parts[0] || null, name: parts[1]! }
}

/** The right that a token must permit, besides its account's own rights. */
export type Right = 'read' | 'write'

const scopes = { read: 'dataset:read', write: 'dataset' } as const

/** The right that the token lacks, in words; null if it lacks none. A session has every right of its account. */
function lackOf({ credential }: Actor, right: Right): string | null {
  if (credential.kind !== 'token') return null
  const { token } = credential
  switch (token.kind) {
    case 'classic':
    case 'oauth':
      return hasScope(token, scopes[right]) ? null : `the token lacks the scope ${scopes[right]}`
    case 'fine-grained':
    case 'app-user':
      if (token.resourceOwner && token.resourceOwner.id !== token.accountId)
        return `the token is for what ${token.resourceOwner.name} owns, and data sets are their account’s own`
      return hasPermission(token, 'datasets', right) ? null : `the token lacks the permission datasets=${right}`
    default:
      return 'tokens of installations and workflow runs have no data sets'
  }
}

const isOwner = ({ account }: Actor, dataset: Dataset): boolean =>
  account !== undefined && account.id === dataset.ownerId && !account.isSuspended

/** Whether the actor owns the data set and its token permits the right. */
export const mayAsOwner = (actor: Actor, dataset: Dataset, right: Right): boolean =>
  isOwner(actor, dataset) && lackOf(actor, right) === null

export function demandWrite(actor: Actor, dataset: Dataset): void {
  if (mayAsOwner(actor, dataset, 'write')) return
  throw refusal(actor, isOwner(actor, dataset) ? lackOf(actor, 'write')! : 'only its owner may change it')
}

export function demandRead(actor: Actor, dataset: Dataset, by: DatasetAddress['by']): void {
  if (!mayRead(actor, dataset, by)) throw unreadable(actor, dataset)
}

/** A signature gives access to the items and nothing else. */
export function demandItems(
  actor: Actor,
  dataset: Dataset,
  by: DatasetAddress['by'],
  signature: string | null,
  nowMs: number,
): void {
  if (mayRead(actor, dataset, by)) return
  if (signature === null) throw unreadable(actor, dataset)
  if (!isSignatureValid(dataset, signature, nowMs))
    throw new Failure('forbidden', 'invalid-signature', 'The signature is wrong or has expired: ask for a new address.')
}

function mayRead(actor: Actor, dataset: Dataset, by: DatasetAddress['by']): boolean {
  if (dataset.generalAccess === 'ANYONE_WITH_NAME_CAN_READ' || mayAsOwner(actor, dataset, 'read')) return true
  return by === 'id' && dataset.generalAccess === 'ANYONE_WITH_ID_CAN_READ'
}

const unreadable = (actor: Actor, dataset: Dataset): Failure =>
  refusal(actor, isOwner(actor, dataset) ? lackOf(actor, 'read')! : 'it is not shared with you, ask its owner')

/** The published clients' own tests recognize missing rights by this sentence, up to the reason. */
const insufficient =
  "Insufficient permissions for the dataset. Make sure you're passing a correct API token and that it has the required permissions"

function refusal(actor: Actor, reason: string): Failure {
  return actor.account === undefined
    ? new Failure(
        'unauthenticated',
        'token-not-provided',
        'Send a token: Authorization: Bearer TOKEN, or ?token=TOKEN.',
      )
    : new Failure('forbidden', 'insufficient-permissions', `${insufficient}: ${reason}.`)
}

type WithAccount = Actor & { readonly account: NonNullable<Actor['account']> }

/** For requests that name no data set: the list, a new one, the account itself. */
export function demandAccount(actor: Actor, right?: Right): asserts actor is WithAccount {
  if (actor.account === undefined || actor.account.isSuspended)
    throw refusal(actor, 'this account is suspended, ask an admin of the server')
  const lack = right ? lackOf(actor, right) : null
  if (lack !== null) throw refusal(actor, lack)
}

export const mayAsSelf = (actor: Actor, accountId: number, right: Right = 'read'): boolean =>
  actor.account?.id === accountId && lackOf(actor, right) === null
