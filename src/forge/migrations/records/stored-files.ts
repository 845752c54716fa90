/** Uploaded files of an export: linked during the snapshot, packed after the records. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Blobs } from '../../../store/files/blobs.ts'

export type StoredFile = { readonly path: string; readonly name: string }

export type StoredFiles = ReturnType<typeof makeStoredFiles>

/** `stage` must exist. Linked files last, whatever is deleted meanwhile. */
export function makeStoredFiles(blobs: Blobs, stage: string) {
  const listed: StoredFile[] = []
  return {
    /** `name`: its path in the archive. */
    async add(hash: string, name: string): Promise<void> {
      const path = join(stage, `file-${listed.length}`)
      await blobs.linkTo(hash, path)
      listed.push({ path, name })
    },
    list: (): readonly StoredFile[] => [...listed].sort((a, b) => (a.name < b.name ? -1 : 1)),
  }
}

/** A safe name for a file in the archive: one path step, not hidden. */
export const safeName = (name: string): string =>
  name
    .replace(/[/\\\0]/g, '_')
    .replace(/^\.+/, '_')
    .slice(0, 200) || '_'

/** Derives the same uuid from the same words, in every export. */
export function deriveUuid(...words: readonly string[]): string {
  const hex = createHash('sha256').update(JSON.stringify(words)).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  )
}
