/** Generates the notes of a release from the commits since the previous one. */
import type { Repository } from '../access/repository.ts'
import { invalidField } from '../failures.ts'
import type { Commit } from '../git/read/commit.ts'
import type { Comparing } from '../git/read/comparing.ts'
import type { GitReading } from '../git/read/git-reading.ts'

/** A page of a comparison. */
const maxCommits = 250

export type NotesRequest = {
  readonly tag: string
  readonly target: string | undefined
  readonly previousTag: string | undefined
}

export type ReleaseNotes = { readonly commits: readonly Commit[]; readonly previousTag: string | undefined }

export type NotesMaking = ReturnType<typeof makeNotesMaking>

export function makeNotesMaking({ reading, comparing }: { reading: GitReading; comparing: Comparing }) {
  return {
    /** The commits that the tag has or would have and the previous tag has not, oldest first. */
    async list(
      repository: Repository,
      { tag, target, previousTag }: NotesRequest,
      latestTag: string | undefined,
    ): Promise<ReleaseNotes> {
      const resolve = (name: string) => reading.resolve(repository, name)
      const head = (await resolve(`tags/${tag}`)) ?? (await resolve(target ?? repository.defaultBranch))
      if (!head) throw invalidField('target_commitish', 'invalid', 'target_commitish is neither a branch nor a commit.')
      const previous = previousTag ?? (latestTag === tag ? undefined : latestTag)
      const base = previous === undefined ? undefined : await resolve(`tags/${previous}`)
      if (previousTag !== undefined && !base)
        throw invalidField('previous_tag_name', 'invalid', 'previous_tag_name is not a tag.')
      if (!base) {
        const { items } = await reading.log(repository, head, {}, { offset: 0, limit: maxCommits })
        return { commits: items.toReversed(), previousTag: undefined }
      }
      const { commits } = await comparing.compare(
        { repository, sha: base },
        { repository, sha: head },
        { offset: 0, limit: maxCommits },
      )
      return { commits, previousTag: previous }
    },
  }
}
