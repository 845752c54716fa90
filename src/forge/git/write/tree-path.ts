/** Paths that a file may have in a tree, judged before git sees them; to git a path is bytes. */
import { invalidField } from '../../failures.ts'
import { pathBytes } from '../read/path-text.ts'

/** As long as most systems take, and as deep as anybody needs: each step is a tree that is read and written. */
const maxPathBytes = 4096
const maxSteps = 100

/**
 * The steps of a path, each as bytes spelled one character a byte. None is empty, `.` or `..`, nor the folder of git's own
 * data, however a file system that ignores case or some characters would spell it: git itself checks the last as well.
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
