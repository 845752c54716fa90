/** Where the bytes of a problem's files are: given by the house, since other modules keep files there, too. */
import type { Readable } from 'node:stream'
import type { Blob } from '../../store/files/blobs.ts'
import type { Db } from '../../store/schema/schema.ts'

export type FileStore = {
  /** All of it, or nothing beyond the bound. By an hour later a row must name it. */
  receive(stream: Readable | undefined, contentType: string, maxBytes: number): Promise<Blob>
  /** A write that has rows name the blobs: all are there, and stay. */
  writeAll<T>(named: readonly Blob[], act: (trx: Db) => Promise<T>): Promise<T>
  /** Blobs that these rows name are kept. */
  nameBy(isNamed: (trx: Db, hash: string) => Promise<boolean>): void
  read(hash: string): Readable
}
