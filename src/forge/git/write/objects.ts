/** Writing objects: each is checked by git as one that is pushed, and is on the disk when it is answered. Refs are moved elsewhere. */
import { Failure } from '../../../lib/failure.ts'
import type { PushAccess } from '../../access/opening.ts'
import type { Repository } from '../../access/repository.ts'
import type { StorageQuota } from '../../storage/storage-quota.ts'
import type { Git } from '../process/git.ts'
import { type GitResult, gitError } from '../process/process.ts'
import { type NewObject, packObjects, parseTree } from './object-text.ts'

/** Each lies by itself, and takes as much at least. */
const blockBytes = 4096

export type Objects = ReturnType<typeof makeObjects>

export function makeObjects({ git, storage }: { git: Git; storage: Pick<StorageQuota, 'write'> }) {
  /** What the names stand for; undefined for what is not there. Never cached: another request may just have made it. */
  async function types(repository: Repository, names: readonly string[]): Promise<(string | undefined)[]> {
    if (names.length === 0) return []
    const input = names.map((name) => `${name}\n`).join('')
    const output = await git.read(repository, ['cat-file', '--batch-check=%(objecttype)'], { input })
    return output
      .toString()
      .split('\n')
      .slice(0, names.length)
      .map((line) => (/^(?:commit|tree|blob|tag)$/.test(line) ? line : undefined))
  }

  return {
    types,

    /** All of them, or none that anything leads to: what refers to nothing, or is no sound object, is refused. */
    async write({ repository }: PushAccess, objects: readonly NewObject[]): Promise<void> {
      if (objects.length === 0) return
      const words = ['unpack-objects', '-q', '--strict']
      const input = await packObjects(objects)
      const isFine = ({ code, complaint }: GitResult): void => {
        if (code !== 0) throw explain(words, code, complaint)
      }
      await storage.write(repository, Math.max(input.length, objects.length * blockBytes), async () => {
        if (namesCheckedFile(objects)) isFine(await git.rehearse(repository, words, { input }))
        isFine(await git.run(repository, words, { input }))
        await git.syncObjects(
          repository,
          objects.map(({ sha }) => sha),
        )
      })
    },
  }
}

/**
 * Some files are checked by what is in them, once all else is: by then git has written what it refuses, so
 * that is tried elsewhere first. Other file systems spell these names in other ways.
 */
const namesCheckedFile = (objects: readonly NewObject[]): boolean =>
  objects.some(({ type, bytes }) => type === 'tree' && [...parseTree(bytes).keys()].some((name) => checked.test(name)))

const checked = /^(?:\.git(?:mod|at)|git(?:mod|att)~|gi7[de])|[\xe2\xef]/i

/** `object 1a2b…: hasDotgit: contains '.git'`: what git calls it is what people look for. */
function explain(words: readonly string[], code: number, complaint: string): Error {
  const [, named, other] = /^error: object [0-9a-f]+: (.*)$|^fatal: .*\b(fsck error.*)$/m.exec(complaint) ?? []
  const fault = named ?? other
  if (fault) return new Failure('invalid', 'unsound-object', `Git refuses this object: ${fault}.`)
  if (/object of unexpected type/.test(complaint)) {
    return new Failure('invalid', 'missing-object', 'It refers to an object that is not there, or is of another kind.')
  }
  return gitError(words, code, complaint)
}
