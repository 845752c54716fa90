/** The changes between two trees, file by file. */
import { readPaths } from './path-text.ts'

export type FileChange = {
  readonly sha: string
  readonly path: string
  readonly formerPath: string | undefined
  readonly status: 'added' | 'removed' | 'modified' | 'renamed' | 'copied' | 'changed'
  readonly additions: number
  readonly deletions: number
  readonly patch: string | undefined
}

const statuses: Record<string, FileChange['status']> = {
  A: 'added',
  D: 'removed',
  M: 'modified',
  R: 'renamed',
  C: 'copied',
  T: 'changed',
}

/** `--raw --numstat -z`: first every raw entry, then every count, in the same order. */
export function parseChanges(output: Buffer): FileChange[] {
  const { text, spell } = readPaths(output)
  const words = text.split('\0')
  const raw: Omit<FileChange, 'additions' | 'deletions' | 'patch'>[] = []
  let at = 0
  while (words[at]?.startsWith(':')) {
    const [, , before = '', after = '', letter = ''] = words[at]!.split(' ')
    const hasTwoPaths = /^[RC]/.test(letter)
    const path = spell(words[at + (hasTwoPaths ? 2 : 1)] ?? '')
    const formerPath = hasTwoPaths ? spell(words[at + 1] ?? '') : undefined
    const status = statuses[letter[0] ?? ''] ?? 'changed'
    raw.push({ sha: status === 'removed' ? before : after, path, formerPath, status })
    at += hasTwoPaths ? 3 : 2
  }
  return raw.map((change) => {
    const [additions = '0', deletions = '0', path] = (words[at] ?? '').split('\t')
    // A rename has its two paths in words of their own.
    at += path === '' ? 3 : 1
    const count = (text: string) => (text === '-' ? 0 : Number(text))
    return { ...change, additions: count(additions), deletions: count(deletions), patch: undefined }
  })
}

/** A file's patch is the part from its first hunk on; none for a binary file or one too large to be read. */
const maxPatchBytes = 1_000_000

/**
 * Only a line feed ends a line of git's: a carriage return or a U+2028 in a file is part of its line, or whoever writes
 * the file could write the header of another one's change. A change of kind (a file that becomes a link) is told in two
 * parts, as a removal and an addition.
 */
export function splitPatches(changes: readonly FileChange[], output: Buffer, isCut = false): FileChange[] {
  const parts = `\n${output.toString('utf8')}`.split('\ndiff --git ').slice(1)
  const counts = changes.map(({ status }) => (status === 'changed' ? 2 : 1))
  // A part that belongs to no change would give its neighbours' patches to the wrong files: better none at all.
  if (!isCut && counts.reduce((sum, count) => sum + count, 0) !== parts.length) return [...changes]
  const whole = isCut ? parts.slice(0, -1) : parts
  let at = 0
  return changes.map((change, i) => {
    const hunks = at + counts[i]! <= whole.length ? whole.slice(at, at + counts[i]!).flatMap(hunksOf) : []
    at += counts[i]!
    const patch = hunks.join('\n')
    return { ...change, patch: hunks.length > 0 && patch.length <= maxPatchBytes ? patch : undefined }
  })
}

/** What stands below the header, which has one line for each of its words: names with line ends in them are quoted. */
function hunksOf(part: string): string[] {
  const start = part.indexOf('\n@@ ')
  return start < 0 ? [] : [part.slice(start + 1).replace(/\n$/, '')]
}
