/** Measures a repository on disk: its packed and loose objects and its refs, without borrowed objects. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** A loose file takes whole blocks of the disk. */
export const blockBytes = 4096
const kib = 1024

export const sizeWords = ['count-objects', '-v']

/** The size of the objects, in KiB. */
export function readSize(output: Buffer): number {
  const figure = (name: string) => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(output.toString())?.[1] ?? 0)
  return figure('size') + figure('size-pack')
}

/** Counts the blocks of loose refs, and all refs in KiB except those of pulls, which are not the owner's doing. */
export async function measureRefs(folder: string): Promise<{ readonly looseBlocks: number; readonly sizeKib: number }> {
  const packed = await stat(join(folder, 'packed-refs')).then(({ size }) => size, ifGone(0))
  const refs = join(folder, 'refs')
  let looseBlocks = 0
  let bytes = packed
  for (const name of await readdir(refs).catch(ifGone([]))) {
    const blocks = await countBlocks(join(refs, name))
    looseBlocks += blocks
    if (name !== 'pull') bytes += blocks * blockBytes
  }
  return { looseBlocks, sizeKib: Math.ceil(bytes / kib) }
}

/** Counts the blocks in a folder. Empty folders do not count: they are removed after the push that left them. */
async function countBlocks(folder: string): Promise<number> {
  let blocks = 0
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(ifGone([]))) {
    const within = entry.isDirectory() ? await countBlocks(join(folder, entry.name)) : 0
    if (within > 0 || !entry.isDirectory()) blocks += within + 1
  }
  return blocks
}

const ifGone =
  <T>(instead: T) =>
  (error: NodeJS.ErrnoException): T => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return instead
    throw error
  }
