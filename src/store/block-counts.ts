/** Counts by blocks of ids: how the n-th of a long list is found without walking to it. */

/** Blocks of 64 ids, of 64 such blocks, and of 64 of those: a search reads at most so many rows of a level. */
export const blockLevels = [18, 12, 6] as const

/** How many of a list have ids in this block of a level. */
export type Block = { readonly block: number; readonly count: number }

/** Where a page starts: skip so many among those whose id is at most this, newest first. */
export type PageStart = { readonly highestId: number; readonly skip: number }

/** Those from the first to the last of a level, the newest first. */
export type ReadBlocks = (level: number, first: number, last: number) => Promise<readonly Block[]>

/** From the top level's blocks down to the block of the lowest that holds the one after `skip` others. */
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

/** The block that the one after `skip` others lies in, and how many of these do too. */
function passOver(blocks: readonly Block[], skip: number): { block: number; skip: number } | undefined {
  let left = skip
  for (const { block, count } of blocks) {
    if (left < count) return { block, skip: left }
    left -= count
  }
  return undefined
}

export const sumCounts = (blocks: readonly Block[]): number => blocks.reduce((sum, { count }) => sum + count, 0)
