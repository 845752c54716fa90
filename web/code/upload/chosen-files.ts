/** Files to upload: chosen, or dropped with their folders, and held while the page of a folder leads to the one that commits. */
import { formatBytes } from '../../parts/figures.ts'

/** `path` is relative to the folder that the files go to. */
export type ChosenFile = { readonly path: string; readonly file: File }

/** The interface takes a file as Base64 within 42 MiB. */
const mostBytes = 30 * 1024 * 1024
const mostFiles = 100

let held: readonly ChosenFile[] = []

export function holdFiles(files: readonly ChosenFile[]): void {
  held = files
}

/** Once: another visit begins with none. */
export function takeHeldFiles(): readonly ChosenFile[] {
  const files = held
  held = []
  return files
}

/** A file replaces an earlier one at its path. */
export function addFiles(known: readonly ChosenFile[], more: readonly ChosenFile[]): readonly ChosenFile[] {
  const byPath = new Map([...known, ...more].map((chosen) => [chosen.path, chosen]))
  return [...byPath.values()].sort((one, other) => (one.path < other.path ? -1 : 1))
}

/** Why they can't be uploaded; undefined if they can. */
export function findFault(files: readonly ChosenFile[]): string | undefined {
  if (files.length > mostFiles)
    return `At most ${mostFiles} files can be uploaded at once. Push larger changes with git.`
  const large = files.find(({ file }) => file.size > mostBytes)
  return large && `${large.path} is larger than ${formatBytes(mostBytes)}. Push it with git.`
}

export const fromPicker = (files: readonly File[]): readonly ChosenFile[] =>
  files.map((file) => ({ path: file.webkitRelativePath || file.name, file }))

/** The entries must be taken before the first wait: afterwards the browser has emptied the drop. */
export async function fromDrop(drop: DataTransfer): Promise<readonly ChosenFile[]> {
  const entries = [...drop.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null)
  if (entries.length === 0) return fromPicker([...drop.files])
  const found: ChosenFile[] = []
  for (const entry of entries) await collect(entry, found)
  return found
}

async function collect(entry: FileSystemEntry, found: ChosenFile[]): Promise<void> {
  // One more than may be uploaded is enough to refuse them.
  if (found.length > mostFiles) return
  const path = entry.fullPath.replace(/^\//, '')
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))
    found.push({ path, file })
    return
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  for (;;) {
    // A folder is read in parts; an empty part is its end.
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (part.length === 0) return
    for (const each of part) await collect(each, found)
  }
}
