/** Uploaded packages are read in worker threads: their TeX, XML and YAML may occupy a processor for a second. */
import { Failure } from '../../lib/failure.ts'
import { programFile } from '../../lib/process/program-file.ts'
import { makeIdlePool } from '../../lib/scheduling/idle-pool.ts'
import type { Zip } from '../archive/archive.ts'
import type { Limits } from '../limits.ts'
import { invalidPackage } from './package-files.ts'
import type { ReadingResult, ReadingTask } from './package-worker.ts'
import type { ImportOverrides, PackagedProblem } from './packaged-problem.ts'

/** Ten times the duration of the slowest package within the bounds. */
const maxMs = 20_000

export function makePackageReader(limits: Limits) {
  const filename = programFile(import.meta.dirname, 'package-worker.ts')
  const pool = makeIdlePool<ReadingTask, ReadingResult>({ filename, maxMs, what: 'packages to be read' })
  return {
    /** `caller` is the key for fair turns. The zip's file must stay open until this has ended. */
    async read(
      caller: string,
      zip: Zip,
      overrides: ImportOverrides,
      signal: AbortSignal | undefined,
    ): Promise<PackagedProblem> {
      // A thread gets only data that can be copied, and reads the same open file.
      const given = Buffer.isBuffer(zip) ? zip : { fd: zip.fd, length: zip.length }
      const result = await pool.run(caller, { zip: given, limits, overrides }, signal).catch((error) => {
        signal?.throwIfAborted()
        return refuseCostly(error)
      })
      if ('found' in result) return result.found
      const { kind, code, message } = result.failure
      throw new Failure(kind, code, message)
    },
    close: () => pool.close(),
  }
}

function refuseCostly(error: Error & { code?: string }): never {
  if (error.name !== 'AbortError' && error.code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error
  throw invalidPackage('It takes too long, or too much memory, to be read.')
}
