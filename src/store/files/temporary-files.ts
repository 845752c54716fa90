/** Temporary files in the data folder: each is unlinked as soon as it is open, so that none outlives its process. */
import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryPrefix } from './data-folder.ts'

export type TemporaryFile = {
  readonly fd: number
  readonly length: number
  write(bytes: Uint8Array): Promise<void>
  /** Exactly these bytes, in a buffer of their own. */
  read(start: number, length: number): Promise<Buffer>
  /** Deletes the file. */
  close(): Promise<void>
}

export type TemporaryFiles = ReturnType<typeof makeTemporaryFiles>

export function makeTemporaryFiles(folder: string) {
  return {
    async open(): Promise<TemporaryFile> {
      const path = join(folder, `${temporaryPrefix}${randomUUID()}`)
      const file = await open(path, 'wx+', 0o600)
      // Another server that shares the folder may have removed it at its start.
      await rm(path, { force: true }).catch(async (error) => {
        await file.close()
        throw error
      })
      return wrap(file)
    },

    /** Creates the folder; only at startup, after the data folder has been verified. */
    async prepare(): Promise<void> {
      await mkdir(folder, { recursive: true, mode: 0o700 })
    },

    /** Removes files of processes that were killed between creating and unlinking one. */
    async sweep(): Promise<void> {
      for (const name of await readdir(folder)) {
        if (name.startsWith(temporaryPrefix)) await rm(join(folder, name), { force: true })
      }
    },
  }
}

function wrap(file: FileHandle): TemporaryFile {
  let length = 0
  return {
    fd: file.fd,
    get length() {
      return length
    },
    async write(bytes) {
      for (let at = 0; at < bytes.length; ) {
        const { bytesWritten } = await file.write(bytes, at, bytes.length - at, length)
        at += bytesWritten
        length += bytesWritten
      }
    },
    async read(start, count) {
      const bytes = Buffer.allocUnsafeSlow(count)
      for (let at = 0; at < count; ) {
        const { bytesRead } = await file.read(bytes, at, count - at, start + at)
        if (bytesRead === 0) throw new Error('A temporary file is shorter than it was written.')
        at += bytesRead
      }
      return bytes
    },
    close: () => file.close(),
  }
}
