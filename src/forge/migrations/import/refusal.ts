/** Why an archive can't be imported, however often it is tried; its message is told to whoever asked. */
import { Failure } from '../../../lib/failure.ts'

export const refuseImport = (message: string): Failure => new Failure('invalid', 'import-refused', message)

export function demandImport(condition: unknown, message: string): asserts condition {
  if (!condition) throw refuseImport(message)
}
