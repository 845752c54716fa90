/** What changed between two trees, file by file. */

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
  const words = output.toString('utf8').split('\0')
  const raw: Omit<FileChange, 'additions' | 'deletions' | 'patch'>[] = []
  let at = 0
  while (words[at]?.startsWith(':')) {
    const [, , before = '', after = '', letter = ''] = words[at]!.split(' ')
    const hasTwoPaths = /^[RC]/.test(letter)
    const path = words[at + (hasTwoPaths ? 2 : 1)] ?? ''
    const formerPath = hasTwoPaths ? words[at + 1] : undefined
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
const maxPatchBytes = 200_000

export function splitPatches(changes: readonly FileChange[], output: Buffer): FileChange[] {
  const parts = output.toString('utf8').split(/^(?=diff --git )/m)
  return changes.map((change, i) => {
    const part = parts[i] ?? ''
    const start = part.search(/^@@ /m)
    const patch = start < 0 ? undefined : part.slice(start).replace(/\n$/, '')
    return { ...change, patch: patch !== undefined && patch.length <= maxPatchBytes ? patch : undefined }
  })
}
