/** Counts by blocks of ids, to find the n-th member of a long list without scanning it. */

/** Blocks of 64 ids, of 64 such blocks, and of 64 of those: a search reads at most 64 rows per lower level. */
export const blockLevels = [18, 12, 6] as const

/** How many members of a list have ids in this block of a level. */
export type Block = { readonly block: number; readonly count: number }

/** The start of a page: skip this many of those with at most this id, newest first. */
export type PageStart = { readonly highestId: number; readonly skip: number }

/** The blocks from the first to the last of a level, newest first. */
export type ReadBlocks = (level: number, first: number, last: number) => Promise<readonly Block[]>

/** Descends from the top level to the lowest block that contains the member after `skip` others. */
export async function findPlace(
  topBlocks: readonly Block[],
  skip: number,
  readBlocks: ReadBlocks,
): Promise<PageStart | undefined> {
  let found = passOver(topBlocks, skip)
  for (let i = 1; i < blockLevels.length && found; i++) {
    const width = 2 ** (blockLevels[i - 1]! - blockLevels[i]!)
    const first = found.block * width
    found = passOver(await readBlocks(blockLevels[i]!, first, first + width - 1), found.skip)
  }
  return found && { highestId: (found.block + 1) * 2 ** blockLevels.at(-1)! - 1, skip: found.skip }
}

/** The block that contains the member after `skip` others, and how many of the skipped ones it contains. */
function passOver(blocks: readonly Block[], skip: number): { block: number; skip: number } | undefined {
  let left = skip
  for (const { block, count } of blocks) {
    if (left < count) return { block, skip: left }
    left -= count
  }
  return undefined
}

export const sumCounts = (blocks: readonly Block[]): number => blocks.reduce((sum, { count }) => sum + count, 0)
