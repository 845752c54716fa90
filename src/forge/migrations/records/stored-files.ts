/** Uploaded files of an export: linked at its moment, packed after the records. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Blobs } from '../../../store/files/blobs.ts'

export type StoredFile = { readonly path: string; readonly name: string }

export type StoredFiles = ReturnType<typeof makeStoredFiles>

/** `stage` is there. What is linked lasts, whatever is deleted meanwhile. */
export function makeStoredFiles(blobs: Blobs, stage: string) {
  const listed: StoredFile[] = []
  return {
    /** `name`: where it will lie in the archive. */
    async add(hash: string, name: string): Promise<void> {
      const path = join(stage, `file-${listed.length}`)
      await blobs.linkTo(hash, path)
      listed.push({ path, name })
    },
    list: (): readonly StoredFile[] => [...listed].sort((a, b) => (a.name < b.name ? -1 : 1)),
  }
}

/** A name for a file in a folder of the archive: one step that leads nowhere else and is not hidden. */
export const safeName = (name: string): string =>
  name
    .replace(/[/\\\0]/g, '_')
    .replace(/^\.+/, '_')
    .slice(0, 200) || '_'

/** A uuid that is the same whenever the same thing is exported. */
export function deriveUuid(...words: readonly string[]): string {
  const hex = createHash('sha256').update(JSON.stringify(words)).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  )
}
