/** Writes objects: git checks each as if it were pushed, and each is on disk before the answer. No ref is moved. */
import { Failure } from '../../../lib/failure.ts'
import type { PushAccess } from '../../access/opening.ts'
import type { Repository } from '../../access/repository.ts'
import type { StorageQuota } from '../../storage/storage-quota.ts'
import type { Git } from '../process/git.ts'
import { type GitResult, gitError } from '../process/process.ts'
import { type NewObject, packObjects, parseTree } from './object-text.ts'

/** Each is a loose object, which takes at least one block. */
const blockBytes = 4096

export type Objects = ReturnType<typeof makeObjects>

export function makeObjects({ git, storage }: { git: Git; storage: Pick<StorageQuota, 'write'> }) {
  /** The types of the named objects; undefined if missing. Never cached: another request may just have made one. */
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

    /** Writes all of them, or none that is reachable. Refuses broken objects, and references to missing ones. */
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
 * Git checks some files by their content, after all other objects: by then it has written what it refuses, so these are
 * tried in a draft first. Some file systems spell these names in other ways.
 */
const namesCheckedFile = (objects: readonly NewObject[]): boolean =>
  objects.some(({ type, bytes }) => type === 'tree' && [...parseTree(bytes).keys()].some((name) => checked.test(name)))

const checked = /^(?:\.git(?:mod|at)|git(?:mod|att)~|gi7[de])|[\xe2\xef]/i

/** `object 1a2b…: hasDotgit: contains '.git'`: people search for git's own name of the fault. */
function explain(words: readonly string[], code: number, complaint: string): Error {
  const [, named, other] = /^error: object [0-9a-f]+: (.*)$|^fatal: .*\b(fsck error.*)$/m.exec(complaint) ?? []
  const fault = named ?? other
  if (fault) return new Failure('invalid', 'unsound-object', `Git refuses this object: ${fault}.`)
  if (/object of unexpected type/.test(complaint)) {
    return new Failure('invalid', 'missing-object', 'It refers to an object that is not there, or is of another kind.')
  }
  return gitError(words, code, complaint)
}
