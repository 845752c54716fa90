/** Levels of access to a repository, lowest first. Tables keep the rank: the place in this list. */

export const levels = ['none', 'read', 'triage', 'write', 'maintain', 'admin'] as const
export type Level = (typeof levels)[number]

export const rankOf = (level: Level): number => levels.indexOf(level)
export const levelOf = (rank: number): Level => levels[rank] ?? 'none'
export const reaches = (level: Level, needed: Level): boolean => rankOf(level) >= rankOf(needed)

/** The older words `pull` and `push` are accepted as well. */
export function parseLevel(word: string): Level | undefined {
  if (word === 'pull') return 'read'
  if (word === 'push') return 'write'
  return levels.find((level) => level === word && level !== 'none')
}
