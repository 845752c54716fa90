/** A worker thread that reads problem packages. */
import { Failure } from '../../lib/failure.ts'
import type { Zip } from '../archive/archive.ts'
import type { Limits } from '../limits.ts'
import { openZip } from './package-files.ts'
import type { ImportOverrides, PackagedProblem } from './packaged-problem.ts'
import { readPackage } from './read-package.ts'

export type ReadingTask = {
  /** A buffer arrives as a plain byte array. */
  readonly zip: Uint8Array | Exclude<Zip, Buffer>
  readonly limits: Limits
  readonly overrides: ImportOverrides
}

/** A failure would lose its class between threads, so it is sent as data. */
export type ReadingResult =
  | { readonly found: PackagedProblem }
  | { readonly failure: Pick<Failure, 'kind' | 'code' | 'message'> }

export default async function read({ zip, limits, overrides }: ReadingTask): Promise<ReadingResult> {
  try {
    const files = await openZip(zip instanceof Uint8Array ? Buffer.from(zip) : zip, limits)
    return { found: await readPackage(files, limits, overrides) }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const { kind, code, message } = error
    return { failure: { kind, code, message } }
  }
}
