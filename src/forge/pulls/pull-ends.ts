/** The two ends of a pull in git: where a branch is now, whether its commits may come to the base, and the ref that keeps them there. */
import { type Actor, theServer } from '../../accounts/actor.ts'
import type { Db } from '../../store/schema/schema.ts'
import { maySee, type Opening } from '../access/opening.ts'
import type { OpenRepository, Repository } from '../access/repository.ts'
import type { Copying } from '../git/copying.ts'
import type { Git } from '../git/git.ts'
import { isObjectId } from '../git/ref-name.ts'
import type { ShareLfsObjects } from '../lfs/lfs-sharing.ts'
import { pullRef } from './pull.ts'
import type { PullRow } from './pull-row.ts'

type Needs = { git: Git; opening: Opening; copying: Copying; shareLfsObjects: ShareLfsObjects }

export type PullEnds = ReturnType<typeof makePullEnds>

export function makePullEnds({ git, opening, copying, shareLfsObjects }: Needs) {
  return {
    /** As git has it now, whatever was remembered. */
    async findTip(repository: Repository, branch: string): Promise<string | undefined> {
      const words = ['rev-parse', '--verify', '--quiet', '--end-of-options', `refs/heads/${branch}^{commit}`]
      const { output } = await git.run(repository, words)
      const sha = output.toString().trim()
      return isObjectId(sha) ? sha : undefined
    },

    /** For the server itself. */
    findRepository: async (id: number | null, on?: Db): Promise<OpenRepository | undefined> =>
      id === null ? undefined : opening.find(theServer, { id }, on),

    findVisible: async (actor: Actor, id: number | null): Promise<OpenRepository | undefined> => {
      const found = id === null ? undefined : await opening.find(actor, { id })
      return found && maySee(actor, found) ? found : undefined
    },

    /** The head's commits, to the base's repository, with the large files that they point to. */
    async bring(from: Repository, into: Repository, sha: string): Promise<void> {
      await copying.bring(from, into, sha)
      await shareLfsObjects(from, into, sha)
    },

    async writeRef(repository: Repository, number: number, sha: string): Promise<void> {
      await git.read(repository, ['update-ref', pullRef(number), sha])
      await git.syncNames(repository, [pullRef(number)])
    },
  }
}

/** What is pushed to a head that became private after the pull was opened stays there. */
export const mayFollow = (head: Repository, row: Pick<PullRow, 'was_head_private'>): boolean =>
  !head.isPrivate || row.was_head_private === 1
