/** Tokens that users granted to apps: renewed, replaced and revoked together with their grant. */
import { hashSecret } from '../lib/ids.ts'
import type { Db } from '../store/schema/schema.ts'

export type RefreshToken = {
  readonly id: number
  readonly appId: number
  readonly grantId: number
  readonly family: string
  readonly expiresAt: number
}

/** Undefined if it is no refresh token, or is used up. */
export async function findRefreshToken(trx: Db, text: string): Promise<RefreshToken | undefined> {
  const row = await trx
    .selectFrom('token')
    .select(['id', 'app_id', 'grant_id', 'family', 'expires_at'])
    .where('token_hash', '=', hashSecret(text))
    .where('kind', '=', 'refresh')
    .executeTakeFirst()
  if (!row || row.app_id === null || row.grant_id === null || row.family === null) return undefined
  return { id: row.id, appId: row.app_id, grantId: row.grant_id, family: row.family, expiresAt: row.expires_at ?? 0 }
}

export async function isFamilyBanned(trx: Db, family: string): Promise<boolean> {
  const query = trx.selectFrom('token').select('id').where('family', '=', family).where('banned_at', 'is not', null)
  return (await query.limit(1).executeTakeFirst()) !== undefined
}

/** Answers whether it still existed: of two concurrent uses, one succeeds. */
export async function consumeRefreshToken(trx: Db, { id }: RefreshToken): Promise<boolean> {
  const { numDeletedRows } = await trx.deleteFrom('token').where('id', '=', id).executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** Ends all tokens of one authorization; answers how many there were. */
export async function endFamily(trx: Db, family: string): Promise<number> {
  const { numDeletedRows } = await trx.deleteFrom('token').where('family', '=', family).executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

/** Keeps the tokens of a grant's newest authorizations, and ends those of older ones. */
export async function endOldestFamilies(trx: Db, grantId: number, kept: number): Promise<void> {
  const families = await trx
    .selectFrom('token')
    .select((eb) => ['family', eb.fn.max('id').as('newest')])
    .where('grant_id', '=', grantId)
    .where('family', 'is not', null)
    .groupBy('family')
    .orderBy('newest', 'desc')
    .offset(kept)
    .limit(1_000)
    .execute()
  for (const { family } of families) await endFamily(trx, family!)
}

export async function countGranted(db: Db, grantId: number): Promise<number> {
  const query = db.selectFrom('token').select((eb) => eb.fn.countAll<number>().as('count'))
  const { count } = await query.where('grant_id', '=', grantId).where('kind', '!=', 'refresh').executeTakeFirstOrThrow()
  return Number(count)
}
