/** Paths of a problem's files: as in a package, but never a path that the export itself writes. */
import { Failure } from '../../lib/failure.ts'

const longest = 512

export function demandFilePath(path: string): string {
  const parts = path.split('/')
  const isPlain = parts.every(
    (part) => part !== '' && part !== '.' && part !== '..' && !/[\x00-\x1f\x7f\u2028\u2029]/.test(part),
  )
  if (!isPlain || mayLeaveFolder(path) || path.length > longest || !path.isWellFormed())
    throw refused(path, `a path has at most ${longest} characters, no empty parts and no . or ..`)
  if (isWritten(path)) throw refused(path, 'what lies there is written from the problem itself')
  return path
}

/** Also treats a backslash as a separator: here it is a plain character, but packages are unpacked on other systems. */
export const mayLeaveFolder = (path: string): boolean => /^[/\\]|(?:^|[/\\])\.\.(?:$|[/\\])/.test(path)

/** Paths that an export writes: the problem, its tests, checkers and interactors. */
export const isWritten = (path: string): boolean =>
  path === 'problem.yaml' ||
  path === 'guildhall.json' ||
  /^data\/(?:sample|secret)\/.*\.(?:in|ans|yaml)$/.test(path) ||
  /^output_validators?\//.test(path) ||
  /^problem_statement\//.test(path)

/** Files for everyone who sees the problem: those that its statement shows, and attachments. */
export const isShown = (path: string): boolean =>
  /^attachments\//.test(path) ||
  path === 'problem.pdf' ||
  (/^statement\//.test(path) && /\.(?:png|jpe?g|gif|webp|svg|pdf)$/i.test(path))

function refused(path: string, why: string): Failure {
  const faults = [{ field: 'Path', reason: `must be another: ${why}` }]
  return new Failure('invalid', 'bad-path', `${JSON.stringify(path.slice(0, 100))} can’t be kept: ${why}.`, { faults })
}
