/** Who may do what with a data set: writing is the owner's, reading is a matter of general access or a signature. */
import type { Actor } from '../accounts/actor.ts'
import { Failure } from '../base/failure.ts'
import type { Dataset } from './dataset.ts'
import { isSignatureValid } from './signature.ts'

/** How an address names a data set: by its id, or by its owner's name and its own. */
export type NamedAddress = { readonly by: 'name'; readonly ownerName: string | null; readonly name: string }
export type DatasetAddress = { readonly by: 'id'; readonly id: string } | NamedAddress

/** `{id}`, `username~name`, or `~name` for the caller's own; null where it can be none of them. */
export function parseAddress(text: string): DatasetAddress | null {
  const parts = text.split('~')
  if (!parts.every((part) => /^[A-Za-z0-9-]*$/.test(part))) return null
  if (parts.length === 1) return { by: 'id', id: text }
  if (parts.length !== 2 || parts[1] === '') return null
  return { by: 'name', ownerName: parts[0] || null, name: parts[1]! }
}

/** A suspended account owns what it owned, and may do with it what a stranger may. */
export const isOwner = (actor: Actor, dataset: Dataset): boolean =>
  actor.account !== undefined && actor.account.id === dataset.ownerId && !actor.account.isSuspended

export function demandWrite(actor: Actor, dataset: Dataset): void {
  if (!isOwner(actor, dataset)) throw refusal(actor, 'Only the owner of this data set may change it.')
}

export function demandRead(actor: Actor, dataset: Dataset, by: DatasetAddress['by']): void {
  if (!mayRead(actor, dataset, by)) throw refusal(actor, 'This data set is not shared with you: ask its owner.')
}

/** A signature opens the items and nothing else. */
export function demandItems(
  actor: Actor,
  dataset: Dataset,
  by: DatasetAddress['by'],
  signature: string | null,
  nowMs: number,
): void {
  if (mayRead(actor, dataset, by)) return
  if (signature === null) throw refusal(actor, 'This data set is not shared with you: ask its owner.')
  if (!isSignatureValid(dataset, signature, nowMs))
    throw new Failure('forbidden', 'invalid-signature', 'The signature is wrong or has expired: ask for a new address.')
}

function mayRead(actor: Actor, dataset: Dataset, by: DatasetAddress['by']): boolean {
  if (isOwner(actor, dataset) || dataset.generalAccess === 'ANYONE_WITH_NAME_CAN_READ') return true
  return by === 'id' && dataset.generalAccess === 'ANYONE_WITH_ID_CAN_READ'
}

function refusal(actor: Actor, message: string): Failure {
  return actor.account === undefined
    ? new Failure(
        'unauthenticated',
        'token-not-provided',
        'Send a token: Authorization: Bearer TOKEN, or ?token=TOKEN.',
      )
    : new Failure('forbidden', 'insufficient-permissions', message)
}

export function demandAccount(actor: Actor): asserts actor is Actor & { account: NonNullable<Actor['account']> } {
  if (actor.account === undefined || actor.account.isSuspended)
    throw refusal(actor, 'This account is suspended: ask an admin of the server.')
}
