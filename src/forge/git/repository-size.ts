/** What git says that a repository takes on the disk: its objects, in packs and by themselves; not what it borrows. */
export const sizeWords = ['count-objects', '-v']

/** In KiB. */
export function readSize(output: Buffer): number {
  const figure = (name: string) => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(output.toString())?.[1] ?? 0)
  return figure('size') + figure('size-pack')
}
