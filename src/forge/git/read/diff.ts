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

/** Parses `--raw --numstat -z`: first all raw entries, then all counts, in the same order. */
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
    // A rename's two paths follow as separate words.
    at += path === '' ? 3 : 1
    const count = (text: string) => (text === '-' ? 0 : Number(text))
    return { ...change, additions: count(additions), deletions: count(deletions), patch: undefined }
  })
}

/** A patch starts at the file's first hunk. Binary files and files too large have none. */
const maxPatchBytes = 1_000_000

/**
 * Only a line feed ends a line of git's output: a carriage return or a U+2028 belongs to its line, or a file could
 * forge the header of another file's change. A change of type (a file that becomes a link) comes in two parts, a
 * removal and an addition.
 */
export function splitPatches(changes: readonly FileChange[], output: Buffer, isCut = false): FileChange[] {
  const parts = `\n${output.toString('utf8')}`.split('\ndiff --git ').slice(1)
  const counts = changes.map(({ status }) => (status === 'changed' ? 2 : 1))
  // If a part matches no change, its neighbours' patches would go to the wrong files: return no patches at all.
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

/** The lines below the header. Each header field is one line: git quotes names that contain line ends. */
function hunksOf(part: string): string[] {
  const start = part.indexOf('\n@@ ')
  return start < 0 ? [] : [part.slice(start + 1).replace(/\n$/, '')]
}
