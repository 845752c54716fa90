/**
 * Idempotency keys: a push repeated with the same key is stored once. The key is written in the push's own transaction,
 * so it holds across crashes and servers.
 */
import { createHash } from 'node:crypto'
import type { Clock } from '../../lib/clock.ts'
import { demand, Failure } from '../../lib/failure.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'

/** How long a key is remembered. */
export const keyLifeMs = 7 * 24 * 3600_000
/** Keys remembered per data set: enough for a file of a hundred million lines. */
const maxKeys = 100_000
/** Keys deleted per transaction, so that no other write waits long. */
const deletedAtOnce = 5_000
const maxKeyLength = 255

export function demandKey(key: string): void {
  demand(
    key.length > 0 && key.length <= maxKeyLength && /^[\x21-\x7e]+$/.test(key),
    'invalid',
    'invalid-value',
    `Idempotency-Key has 1 to ${maxKeyLength} visible ASCII characters and no blank.`,
  )
}

const hash = (what: string | Uint8Array) => createHash('sha256').update(what).digest('base64url')

/** The push was stored before: its transaction must be rolled back. */
export class PushedBefore extends Error {}

type Claim = {
  readonly datasetKey: number
  readonly pushKey: string
  readonly pushNumber: number
  readonly now: number
}

/** Claims the key within the push's own transaction; throws if it came with other items. */
export async function claimKey(trx: Db, { datasetKey, pushKey, pushNumber, now }: Claim, lines: Buffer): Promise<void> {
  const keyHash = hash(pushKey)
  const bodyHash = hash(lines)
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('dataset_push_key')
    .values({
      dataset_id: datasetKey,
      key_hash: keyHash,
      body_hash: bodyHash,
      push_number: pushNumber,
      pushed_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  if (numInsertedOrUpdatedRows === 1n) {
    await trx
      .deleteFrom('dataset_push_key')
      .where('dataset_id', '=', datasetKey)
      .where('push_number', '<=', pushNumber - maxKeys)
      .execute()
    return
  }
  const known = await trx
    .selectFrom('dataset_push_key')
    .select('body_hash')
    .where('dataset_id', '=', datasetKey)
    .where('key_hash', '=', keyHash)
    .executeTakeFirst()
  if (known?.body_hash === bodyHash) throw new PushedBefore()
  throw new Failure(
    'invalid',
    'idempotency-key-reused',
    'This Idempotency-Key came with other items before: send each push with a key of its own.',
  )
}

/** Forgets expired keys, a few at a time. */
export async function forgetOldKeys(store: Store, clock: Clock): Promise<void> {
  const before = clock.now() - keyLifeMs
  for (let isMore = true; isMore; ) {
    const old = await store.db
      .selectFrom('dataset_push_key')
      .select(['dataset_id', 'key_hash'])
      .where('pushed_at', '<', before)
      .orderBy('pushed_at')
      .limit(deletedAtOnce)
      .execute()
    isMore = old.length === deletedAtOnce
    if (old.length === 0) return
    await store.write(async (trx) => {
      for (const { dataset_id, key_hash } of old)
        await trx
          .deleteFrom('dataset_push_key')
          .where('dataset_id', '=', dataset_id)
          .where('key_hash', '=', key_hash)
          .execute()
    })
  }
}
