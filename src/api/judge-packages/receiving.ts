/** Receives a package into a temporary file, which is deleted when it is closed. The size is bounded. */
import type { Readable } from 'node:stream'
import type { Hold } from '../../http/byte-budget.ts'
import { Failure } from '../../lib/failure.ts'
import type { Transfer } from './transfers.ts'

export type PackageFile = {
  readonly fd: number
  readonly length: number
  write(bytes: Uint8Array): Promise<void>
  close(): Promise<void>
}

export async function receivePackage(
  body: Readable | undefined,
  file: PackageFile,
  most: number,
  hold: Hold,
  transfer: Transfer,
): Promise<void> {
  let size = 0
  let unwritten: unknown
  try {
    for await (const chunk of body?.iterator({ destroyOnReturn: false }) ?? []) {
      size += chunk.length
      transfer.move(chunk.length)
      if (size > most) throw new Failure('invalid', 'too-large', `The package is over ${most} bytes.`)
      await hold.take(chunk.length)
      await file.write(chunk).catch((error) => {
        unwritten = error
        throw error
      })
    }
  } catch (error) {
    if (error instanceof Failure || error === unwritten) throw error
    throw new Failure('invalid', 'bad-request', 'The body broke off.')
  }
  if (size === 0) throw new Failure('invalid', 'empty-package', 'The body is empty: send the zip of a problem package.')
}
