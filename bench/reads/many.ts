/** Forty of everything, so that each list has a full page of thirty and more. */

export const many = 40

export const counted = (word: string): string[] => Array.from({ length: many }, (_, i) => `${word}-${i + 1}`)

/** Runs several at a time: one after the other, each would wait for the disk. */
export async function forEach<T, Made>(items: readonly T[], act: (item: T) => Promise<Made>): Promise<Made[]> {
  const made: Made[] = []
  for (let at = 0; at < items.length; at += 8) made.push(...(await Promise.all(items.slice(at, at + 8).map(act))))
  return made
}

export const repeat = <Made>(act: (i: number) => Promise<Made>): Promise<Made[]> =>
  forEach(
    Array.from({ length: many }, (_, i) => i + 1),
    act,
  )
