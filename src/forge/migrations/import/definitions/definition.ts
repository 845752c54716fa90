/** A type of record: how it is read, and which addresses it defines and names. */
import type { RecordType } from '../../records/record-files.ts'
import { type AddressIndex, anyAccount } from '../address-index.ts'
import type { Fields } from '../reading/fields.ts'
import { demandImport } from '../refusal.ts'

export type Definition<R> = {
  readonly type: RecordType
  read(fields: Fields): R
  /** Adds its own addresses to the index, and expects those that it names. */
  check(record: R, index: AddressIndex, place: string): void
}

export type Reaction = { readonly user: string; readonly content: string; readonly createdAt: number }

export const reactionWords = ['+1', '-1', 'laugh', 'confused', 'heart', 'hooray', 'eyes', 'rocket'] as const

export const readReactions = (fields: Fields): Reaction[] =>
  fields.each('reactions', (one) => ({
    user: one.address('user'),
    content: one.oneOf('content', reactionWords),
    createdAt: one.time('created_at'),
  }))

export function checkReactions(reactions: readonly Reaction[], index: AddressIndex, place: string): void {
  const seen = new Set<string>()
  for (const { user, content } of reactions) {
    index.expect(anyAccount, user, place)
    demandImport(!seen.has(`${user} ${content}`), `${place}: a reaction of ${user} is there twice.`)
    seen.add(`${user} ${content}`)
  }
}
