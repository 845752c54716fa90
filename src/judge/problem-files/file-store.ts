/** Storage for the bytes of a problem's files. `services.ts` provides it, since other modules store files there, too. */
import type { Readable } from 'node:stream'
import type { Blob } from '../../store/files/blobs.ts'
import type { Db } from '../../store/schema/schema.ts'

export type FileStore = {
  /** Stores the whole stream, or fails if it exceeds the limit. A row must reference the blob within an hour. */
  receive(stream: Readable | undefined, contentType: string, maxBytes: number): Promise<Blob>
  /** Runs a write whose rows reference these blobs: all of them exist, and are kept. */
  writeAll<T>(named: readonly Blob[], act: (trx: Db) => Promise<T>): Promise<T>
  /** Keeps blobs for which this returns true. */
  nameBy(isNamed: (trx: Db, hash: string) => Promise<boolean>): void
  read(hash: string): Readable
}
