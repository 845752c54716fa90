/** Reads PGP keys and verifies signatures in worker threads, within a time limit: https://www.rfc-editor.org/rfc/rfc9580 */
import { programFile } from '../../../lib/process/program-file.ts'
import { makeIdlePool } from '../../../lib/scheduling/idle-pool.ts'
import { invalidField } from '../../failures.ts'
import { currentCaller } from '../../git/process/processor-accounting.ts'
import type { Signed } from '../../git/read/signed-text.ts'
import type { PgpKey, PgpResult, PgpTask, PgpVerdict } from './pgp-worker.ts'

/** Room for a key that others have signed. */
export const maxPgpKeyText = 64 * 1024
/** A signature has some hundred bytes. */
const maxSignatureText = 16 * 1024
const maxMs = 5_000
/** A hundred ordinary keys. */
const heavyAfterMs = 2_000

export type Pgp = ReturnType<typeof makePgp>

export function makePgp() {
  const pool = makeIdlePool<PgpTask, PgpResult>({
    filename: programFile(import.meta.dirname, 'pgp-worker.ts'),
    ...{ maxMs, heavyAfterMs },
    what: 'PGP keys and signatures to be looked through',
  })
  const ask = (task: PgpTask, signal?: AbortSignal, ownerId?: number): Promise<PgpResult> =>
    pool.run(currentCaller(), task, signal, ownerId === undefined ? undefined : `keys of ${ownerId}`)

  return {
    /** Throws a failure that explains what is wrong with the key. */
    async readKey(armored: string, ownerId: number): Promise<PgpKey> {
      const result = await ask({ kind: 'read-key', armored }, undefined, ownerId).catch((error) => {
        if (!isTooSlow(error)) throw error
        return { fault: 'takes too long to look through: export it with --export-options export-minimal' }
      })
      if ('fault' in result) throw invalidField('armored_public_key', 'custom', `armored_public_key ${result.fault}.`)
      return result.value as PgpKey
    },

    /** The ids of the keys that the signature names; undefined if it can't be read. */
    async listIssuers(signature: string, signal: AbortSignal): Promise<readonly string[] | undefined> {
      if (signature.length > maxSignatureText) return undefined
      const result = await ask({ kind: 'list-issuers', signature }, signal)
      return 'fault' in result ? undefined : (result.value as readonly string[])
    },

    /** `ownerId`: the key's, so that one account's keys take one thread at most. */
    async verify(
      { armored, ownerId }: { readonly armored: string; readonly ownerId: number },
      { signature, payload }: Signed,
      signal: AbortSignal,
    ): Promise<PgpVerdict | undefined> {
      const task: PgpTask = { kind: 'verify', armored, signature, payload: new Uint8Array(payload) }
      const result = await ask(task, signal, ownerId)
      return 'fault' in result ? undefined : (result.value as PgpVerdict)
    },

    close: () => pool.close(),
  }
}

/** Whether the thread was ended because it took too long or too much memory. */
export const isTooSlow = (error: unknown): boolean =>
  ['AbortError', 'TimeoutError'].includes((error as Error).name) ||
  (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY'
