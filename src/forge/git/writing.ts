/** Writing a commit from here: the first one of a new repository. */
import type { SignedIn } from '../../accounts/actor.ts'
import type { Clock } from '../../base/clock.ts'
import { hiddenAddress } from '../people/person.ts'
import type { Repository } from '../repositories/repository.ts'
import type { Git } from './git.ts'
import type { Pushes } from './pushes.ts'
import { zeroId } from './ref-name.ts'

export type FirstFiles = Readonly<Record<string, string>>

export type Writing = ReturnType<typeof makeWriting>

export function makeWriting({ git, pushes, clock }: { git: Git; pushes: Pushes; clock: Clock }) {
  return {
    /** It counts as a push, and is settled like one if the server dies in between. */
    async commitFirst(actor: SignedIn, repository: Repository, files: FirstFiles, message: string): Promise<void> {
      const branch = `refs/heads/${repository.defaultBranch}`
      const { name, displayName } = actor.account
      const who = `${clean(displayName || name)} <${hiddenAddress(name)}> ${Math.floor(clock.now() / 1000)} +0000`
      const parts = [
        `commit refs/draft/first\nauthor ${who}\ncommitter ${who}\ndata ${Buffer.byteLength(message)}\n${message}\n`,
        ...Object.entries(files).map(
          ([path, text]) => `M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`,
        ),
      ]
      await git.read(repository, ['fast-import', '--quiet', '--force'], parts.join(''))
      const sha = (await git.read(repository, ['rev-parse', 'refs/draft/first'])).toString().trim()
      await pushes.record(actor, repository, [{ ref: branch, before: zeroId, after: sha }], async () => {
        await git.read(repository, ['update-ref', '--stdin'], `create ${branch} ${sha}\ndelete refs/draft/first\n`)
        return new Set([branch])
      })
    },
  }
}

/** What would end a signature before its time. */
const clean = (name: string): string => name.replace(/[<>\n\r\0]/g, ' ').trim() || 'unknown'
