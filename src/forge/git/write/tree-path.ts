/** Paths that a file may have in a tree, checked before git sees them; to git a path is bytes. */
import { invalidField } from '../../failures.ts'
import { pathBytes } from '../read/path-text.ts'

/** As long as most systems accept, and deep enough for everybody: each step is a tree to read and write. */
const maxPathBytes = 4096
const maxSteps = 100

/**
 * The steps of a path, each as latin1 (one character a byte). No step may be empty, `.`, `..` or `.git`, including the
 * other spellings of `.git` on file systems that ignore case or some characters; git itself checks these as well.
 */
export function readTreePath(path: string, field = 'path'): string[] {
  const bytes = pathBytes(path)
  const steps = bytes.toString('latin1').split('/')
  const isPlain = steps.every((step) => step !== '' && step !== '.' && step !== '..' && !step.includes('\0'))
  if (!isPlain) throw invalidField(field, 'invalid', `${field} is malformed: it has an empty, . or .. step.`)
  if (bytes.length > maxPathBytes || steps.length > maxSteps)
    throw invalidField(field, 'invalid', `${field} is too long: ${maxPathBytes} bytes and ${maxSteps} folders at most.`)
  if (steps.some(isGitFolder)) throw invalidField(field, 'invalid', `${field} must not lead through .git.`)
  return steps
}

const isGitFolder = (step: string): boolean => /^(?:\.git|git~1)[. ]*(?::.*)?$/i.test(step)
