/** A permanent reason why an archive cannot be imported; the caller sees its message. */
import { Failure } from '../../../lib/failure.ts'

export const refuseImport = (message: string): Failure => new Failure('invalid', 'import-refused', message)

export function demandImport(condition: unknown, message: string): asserts condition {
  if (!condition) throw refuseImport(message)
}
