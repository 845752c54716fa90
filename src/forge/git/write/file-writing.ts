/** Changes one file by one commit on a branch, without a work tree: the write side of contents. */
import type { Clock } from '../../../lib/clock.ts'
import { demand, Failure } from '../../../lib/failure.ts'
import type { PushAccess } from '../../access/opening.ts'
import { invalidField, notFound } from '../../failures.ts'
import type { CheckedMoves } from '../push/checked-moves.ts'
import { type Commit, parseCommit } from '../read/commit.ts'
import { isBranchName, isObjectId, zeroId } from '../ref-name.ts'
import { spellCommit } from './commit-text.ts'
import { isTreeMode, makeLongObject, makeObject, type NewObject, type RawEntry } from './object-text.ts'
import type { Objects } from './objects.ts'
import { completeSignature, type GivenSignature, signatureOf, spellSignature } from './signing.ts'
import type { TreeEditing } from './tree-editing.ts'
import { readTreePath } from './tree-path.ts'

export type FileChangeDraft = {
  readonly path: string
  readonly message: string
  readonly branch?: string | undefined
  /** The blob id of the file as the caller knows it; undefined for a new file. */
  readonly sha?: string | undefined
  readonly author?: GivenSignature | undefined
  readonly committer?: GivenSignature | undefined
}

export type ChangedFile = {
  readonly commit: Commit
  readonly branch: string
  /** The file's new blob id; undefined if it was deleted. */
  readonly sha: string | undefined
  readonly isNew: boolean
}

/** Others may move the branch meanwhile. The change concerns one file, whose blob id is checked again on each try. */
const maxTries = 5

type Needs = { clock: Clock; objects: Objects; treeEditing: TreeEditing; moves: CheckedMoves }

export type FileWriting = ReturnType<typeof makeFileWriting>

export function makeFileWriting({ clock, objects, treeEditing, moves }: Needs) {
  async function change(access: PushAccess, draft: FileChangeDraft, blob: NewObject | undefined): Promise<ChangedFile> {
    const steps = readTreePath(draft.path)
    const { branch = access.repository.defaultBranch } = draft
    if (!isBranchName(branch)) throw notFound()
    for (let tries = 1; ; tries++) {
      try {
        return await changeOnce(access, { ...draft, branch }, steps, blob)
      } catch (error) {
        if (!(error instanceof Failure)) throw error
        // Clients tell a protected branch from a wrong draft by the status: here it is 409, for refs 422.
        if (error.code === 'branch-protected') {
          const act = blob === undefined ? 'delete' : draft.sha === undefined ? 'create' : 'update'
          throw new Failure('conflict', error.code, `Could not ${act} file: ${error.message}`)
        }
        if (error.code !== 'ref-moved' || tries === maxTries) throw error
      }
    }
  }

  async function changeOnce(
    access: PushAccess,
    draft: FileChangeDraft & { branch: string },
    steps: readonly string[],
    blob: NewObject | undefined,
  ): Promise<ChangedFile> {
    const { repository, actor } = access
    const ref = `refs/heads/${draft.branch}`
    const before = await moves.find(repository, ref)
    // A first commit may start a branch only if the repository has none at all.
    const isFirst = before === zeroId && repository.lastPushId === 0 && blob !== undefined
    if (before === zeroId && !isFirst) {
      throw new Failure('not-found', 'no-branch', `Branch ${draft.branch} not found`)
    }
    const root = await treeEditing.open(repository, isFirst ? undefined : before, [steps])
    const found = root.find(steps)
    demandExpected(draft, found, blob !== undefined)
    const mode = found?.mode ?? '100644'
    const entry = blob && { mode: mode === '120000' ? '100644' : mode, sha: blob.sha }
    const { sha: tree, trees } = root.edit([{ steps, entry }])
    const own = signatureOf(actor, clock.now())
    const committer = completeSignature('committer', draft.committer, own)
    const author = completeSignature('author', draft.author, committer)
    const parents = isFirst ? [] : [before]
    const signed = { author: spellSignature(author), committer: spellSignature(committer) }
    const text = spellCommit({ tree, parents, ...signed, message: Buffer.from(draft.message) })
    const commit = makeObject('commit', text)
    await objects.write(access, [...(blob ? [blob] : []), ...trees, commit])
    await moves.move(access, [{ ref, before, after: commit.sha }], { isForward: true })
    return { commit: parseCommit(commit.sha, commit.bytes), branch: draft.branch, sha: blob?.sha, isNew: !found }
  }

  return {
    /** Makes the file, or changes it if the caller gives its blob id. */
    put: async (access: PushAccess, draft: FileChangeDraft, bytes: Buffer): Promise<ChangedFile> =>
      change(access, draft, await makeLongObject('blob', bytes)),

    remove(access: PushAccess, draft: FileChangeDraft): Promise<ChangedFile> {
      if (draft.sha === undefined) throw invalidField('sha', 'missing_field', 'sha is required')
      return change(access, draft, undefined)
    },
  }
}

/** The caller names the version of the file that they have seen, so that nobody's work is overwritten unseen. */
function demandExpected({ path, sha }: FileChangeDraft, found: RawEntry | undefined, isPut: boolean): void {
  if (!found) {
    if (!isPut) throw notFound()
    demand(sha === undefined, 'conflict', 'sha-mismatch', `${path} does not match ${sha}: there is no such file.`)
    return
  }
  const isFile = !isTreeMode(found.mode) && found.mode !== '160000'
  if (!isFile) throw invalidField('path', 'invalid', `${path} is a folder or a submodule, not a file.`)
  if (sha === undefined)
    throw new Failure('invalid', 'sha-missing', 'Invalid request.\n\n"sha" wasn\'t supplied.', {
      faults: [{ field: 'sha', code: 'missing_field', reason: `${path} already exists: give its sha to change it.` }],
    })
  demand(isObjectId(sha) && found.sha === sha, 'conflict', 'sha-mismatch', `${path} does not match ${sha}`)
}
