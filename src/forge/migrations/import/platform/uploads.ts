/** The files of an archive: each gets a name of our own form, and addresses of files in texts become those of here. */
import { closeSync, mkdirSync, openSync, readSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { chooseType } from '../../../attachments/attachment-type.ts'
import { deriveUuid, safeName } from '../../records/stored-files.ts'

const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export type Upload = { readonly path: string; readonly uuid: string; readonly name: string }

/** Why a file is left out. */
export type UploadFault = 'without their content' | 'that are too large' | 'of a kind that can’t be attached'

export type Uploads = ReturnType<typeof makeUploads>

type Needs = {
  readonly folder: string
  readonly origin: string
  /** The size of each, by its path. */
  readonly found: ReadonlyMap<string, number>
  readonly mostBytes: { readonly attachments: number; readonly releases: number }
}

export function makeUploads({ folder, origin, found, mostBytes }: Needs) {
  const left = new Map(found)
  /** By their new paths, the old ones. */
  const taken = new Map<string, string>()
  const moved = new Map<string, string>()
  const uuids = new Set<string>()

  function take(address: string | null, name: string, kind: 'attachments' | 'releases'): Upload | UploadFault {
    const path = address?.startsWith('tarball://root/') ? address.slice('tarball://root/'.length) : ''
    const bytes = left.get(path)
    if (bytes === undefined) return 'without their content'
    if (bytes > mostBytes[kind]) return 'that are too large'
    const plain = safeName(name.replace(/[\x00-\x1f\x7f]/g, '_'))
    if (kind === 'attachments' && !mayAttach(plain, join(folder, path))) return 'of a kind that can’t be attached'
    left.delete(path)
    const given = path.split('/')[1] ?? ''
    const uuid = uuidPattern.test(given) && !uuids.has(given) ? given : deriveUuid('platform', path)
    uuids.add(uuid)
    const here = `${kind}/${uuid}/${plain}`
    taken.set(here, path)
    return { path: here, uuid, name: plain }
  }

  function rewrite(text: string): string {
    if (moved.size === 0) return text
    return text.replace(/https?:\/\/[^\s<>()[\]"'`\\]{1,2000}/g, (found) => moved.get(found) ?? found)
  }

  return {
    take,

    /** The address that a text had for a file, and the file. */
    note(address: string, { uuid, name }: Upload): void {
      moved.set(address, `${origin}/-/attachments/${uuid}/${encodeURIComponent(name)}`)
    },

    rewrite,
    rewriteOrNull: (text: string | null): string | null => (text === null ? null : rewrite(text)),

    /** It turned out that nothing shows it. */
    release: ({ path }: Upload): void => void taken.delete(path),

    /** Moves the taken files to their new places. Answers them, and how many nothing named. */
    finish(): { readonly taken: ReadonlyMap<string, string>; readonly unnamed: number } {
      for (const [here, path] of taken) {
        if (here === path) continue
        mkdirSync(join(folder, dirname(here)), { recursive: true, mode: 0o700 })
        renameSync(join(folder, path), join(folder, here))
      }
      return { taken, unnamed: left.size }
    },
  }
}

function mayAttach(name: string, path: string): boolean {
  const file = openSync(path, 'r')
  try {
    const start = Buffer.alloc(16)
    chooseType(name, start.subarray(0, readSync(file, start)))
    return true
  } catch {
    return false
  } finally {
    closeSync(file)
  }
}
