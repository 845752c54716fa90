/** PGP keys and signatures, in a thread of their own and for a bounded time: https://www.rfc-editor.org/rfc/rfc9580 */
import { programFile } from '../../../lib/process/program-file.ts'
import { makeIdlePool } from '../../../lib/scheduling/idle-pool.ts'
import { invalidField } from '../../failures.ts'
import { currentCaller } from '../../git/process/processor-accounting.ts'
import type { PgpKey, PgpResult, PgpTask, PgpVerdict } from './pgp-worker.ts'

/** Of a key with some signatures of friends; and of a signature, which is some hundred bytes. */
export const maxPgpKeyText = 64 * 1024
const maxSignatureText = 16 * 1024
const maxMs = 5_000

export type Pgp = ReturnType<typeof makePgp>

export function makePgp() {
  const pool = makeIdlePool<PgpTask, PgpResult>({
    filename: programFile(import.meta.dirname, 'pgp-worker.ts'),
    maxMs,
    what: 'PGP keys and signatures to be looked through',
  })
  const ask = (task: PgpTask): Promise<PgpResult> => pool.run(currentCaller(), task)

  return {
    /** Throws what is wrong with it, in words for who gave it. */
    async readKey(armored: string): Promise<PgpKey> {
      const result = await ask({ kind: 'read-key', armored }).catch((error) => {
        if (!isTooSlow(error)) throw error
        return { fault: 'takes too long to look through: export it with --export-options export-minimal' }
      })
      if ('fault' in result) throw invalidField('armored_public_key', 'custom', `armored_public_key ${result.fault}.`)
      return result.value as PgpKey
    },

    /** The ids of the keys that it says it is of; undefined where it can't be read. */
    async listIssuers(signature: string): Promise<readonly string[] | undefined> {
      if (signature.length > maxSignatureText) return undefined
      const result = await ask({ kind: 'list-issuers', signature })
      return 'fault' in result ? undefined : (result.value as readonly string[])
    },

    async verify(armored: string, signature: string, payload: Buffer): Promise<PgpVerdict | undefined> {
      const result = await ask({ kind: 'verify', armored, signature, payload: new Uint8Array(payload) })
      return 'fault' in result ? undefined : (result.value as PgpVerdict)
    },

    close: () => pool.close(),
  }
}

/** Its thread was ended: it took too long, or more memory than a thread has. */
export const isTooSlow = (error: unknown): boolean =>
  ['AbortError', 'TimeoutError'].includes((error as Error).name) ||
  (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY'
