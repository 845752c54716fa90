/** Merges in a bare repository, without a work tree: three-way merges, squashes and rebases. No ref is moved here. */
import { join } from 'node:path'
import type { Repository } from '../../access/repository.ts'
import type { Admit, Ask, Git } from '../process/git.ts'
import { gitError } from '../process/process.ts'
import { isObjectId } from '../ref-name.ts'
import { readKept, spellCommit } from './commit-text.ts'
import { dateObjects } from './object-moving.ts'

/** A commit that can become the base's new head, or why there is none. */
export type Merged =
  | { readonly kind: 'merged'; readonly sha: string }
  | { readonly kind: 'conflict' }
  /** The base has all of it already. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'too-many' }

type Ends = { readonly base: string; readonly head: string }
export type MergeDraft = Ends & { readonly author: string; readonly committer: string; readonly message: string }
/** `after` is the base's commit right after the change, `before` the one before it. */
export type RevertDraft = Omit<MergeDraft, 'head'> & { readonly before: string; readonly after: string }
export type RebaseDraft = Ends & { readonly committer: string }

/** Each step takes three processes; this is the public platform's own limit. */
export const maxRebased = 100

/** Nobody resolves more by a list. */
const maxConflicts = 100

/** Git keeps unreachable objects for two weeks from when they were written; trial merges are dated earlier. */
const gitKeepsMs = 14 * 24 * 3_600_000
/** Longer than any push that builds on one takes. */
export const triedKeptMs = 2 * 3_600_000

const passForOld = (): Date => new Date(Date.now() - gitKeepsMs + triedKeptMs)

const maxNamesBytes = 1024 * 1024

export type Merging = ReturnType<typeof makeMerging>

export function makeMerging({ git }: { git: Git }) {
  async function commitMerge(ask: Ask, draft: MergeDraft, parents: readonly string[]): Promise<Merged> {
    const tree = await mergeTrees(ask, draft.base, draft.head)
    if (!tree) return { kind: 'conflict' }
    return { kind: 'merged', sha: await writeCommit(ask, spellCommit({ ...draft, tree, parents })) }
  }

  return {
    /** Whether the head can be merged without a conflict. */
    isMergeable: (repository: Repository, { base, head }: Ends): Promise<boolean> =>
      git.rehearseInTurn(repository, async (ask) => (await mergeTrees(ask, base, head)) !== undefined),

    /** The files that changed on both sides so that git cannot merge them; of very many the first. */
    listConflicts: (repository: Repository, { base, head }: Ends): Promise<readonly string[]> =>
      git.rehearseInTurn(repository, async (ask) => {
        const { output } = await askToMerge(ask, base, head, '-z')
        return output.toString().split('\0').slice(1).filter(Boolean).slice(0, maxConflicts)
      }),

    /** The outcome of merging commits of two repositories; neither gets any objects of the other. */
    foresee: (repository: Repository, other: Repository, { base, head }: Ends): Promise<Merged['kind']> =>
      git.inTurnOfBoth(repository, other, async (ask) => {
        if ((await ask(['merge-base', '--is-ancestor', head, base], { accepts: [1] })).code === 0) return 'nothing'
        return (await mergeTrees(ask, base, head)) ? 'merged' : 'conflict'
      }),

    /** Makes one commit with two parents. */
    merge: (repository: Repository, draft: MergeDraft): Promise<Merged> =>
      git.inTurn(repository, (ask) => commitMerge(ask, draft, [draft.base, draft.head])),

    /** The same, but its objects are removed soon after they become unreachable; `admit` counts their size first. */
    tryMerge: (repository: Repository, draft: MergeDraft, admit: Admit<Merged>): Promise<Merged> =>
      git.inTurnApart(repository, (ask) => commitMerge(ask, draft, [draft.base, draft.head]), admit, passForOld()),

    /** Dates the objects of an unreachable trial merge back again: reading the pull has renewed them. */
    async releaseTried(repository: Repository, sha: string): Promise<void> {
      const words = ['rev-list', '--objects', '--no-object-names', '--ignore-missing', sha, '--not', '--all']
      const { output } = await git.run(repository, words, { maxBytes: maxNamesBytes, cutsOff: true })
      const names = output.toString('latin1').split('\n').filter(isObjectId)
      await dateObjects(join(git.folderOf(repository), 'objects'), names, passForOld())
    },

    /** Makes one commit after the base with everything the head has. */
    squash: (repository: Repository, draft: MergeDraft): Promise<Merged> =>
      git.inTurn(repository, (ask) => commitMerge(ask, draft, [draft.base])),

    /** Replays the head's commits that the base has not, one after the other, onto the base. */
    rebase: (repository: Repository, draft: RebaseDraft, most = maxRebased): Promise<Merged> =>
      git.inTurn(repository, (ask) => rebase(ask, draft, most)),

    /** Makes one commit after the base that takes a change back which is among its history. */
    revert: (repository: Repository, draft: RevertDraft): Promise<Merged> =>
      git.inTurn(repository, (ask) => revert(ask, draft)),

    /** The outcome of a rebase of at most this many steps. Nothing is kept. */
    rehearseRebase: async (repository: Repository, draft: RebaseDraft, most: number): Promise<Merged['kind']> =>
      (await git.rehearseInTurn(repository, (ask) => rebase(ask, draft, most))).kind,

    async isAncestor(repository: Repository, ancestor: string, of: string): Promise<boolean> {
      const words = ['merge-base', '--is-ancestor', ancestor, of]
      return git.inTurn(repository, async (ask) => (await ask(words, { accepts: [1] })).code === 0)
    },

    /** The merge base; undefined if there is none. */
    findFork: (repository: Repository, { base, head }: Ends): Promise<string | undefined> =>
      git.inTurn(repository, async (ask) => {
        const { output } = await ask(['merge-base', base, head], { accepts: [1] })
        return output.toString().trim() || undefined
      }),
  }
}

/** Git exits with 1 for a conflict, and refuses to merge unrelated histories. */
async function askToMerge(ask: Ask, ours: string, theirs: string, ...options: string[]) {
  const words = ['merge-tree', '--write-tree', '--no-messages', '--name-only', ...options, ours, theirs]
  const { code, output, complaint } = await ask(words, { accepts: [1, 128] })
  if (code === 128 && !complaint.includes('unrelated histories')) throw gitError(words, code, complaint)
  return { code, output }
}

async function mergeTrees(ask: Ask, ours: string, theirs: string, ...options: string[]): Promise<string | undefined> {
  const { code, output } = await askToMerge(ask, ours, theirs, ...options)
  const tree = output.toString('latin1', 0, 40)
  return code === 0 && isObjectId(tree) ? tree : undefined
}

async function writeCommit(ask: Ask, text: Buffer): Promise<string> {
  const { output } = await ask(['hash-object', '-t', 'commit', '-w', '--stdin'], { input: text })
  return output.toString().trim()
}

type Step = { readonly sha: string; readonly tree: string; readonly parent: string | undefined }

/** Leaves out merges and changes that the base has already under another id, as `git rebase` does. */
async function listSteps(ask: Ask, { base, head }: Ends): Promise<Step[]> {
  const order = ['--reverse', '--topo-order', '--no-merges', '--right-only', '--cherry-pick']
  const words = ['rev-list', ...order, '--no-commit-header', '--format=%H %T %P', `${base}...${head}`]
  const lines = (await ask(words)).output.toString().split('\n').filter(Boolean)
  return lines.map((line) => {
    const [sha = '', tree = '', parent] = line.split(' ')
    return { sha, tree, parent: parent || undefined }
  })
}

async function rebase(ask: Ask, { base, head, committer }: RebaseDraft, most: number): Promise<Merged> {
  const steps = await listSteps(ask, { base, head })
  if (steps.length > most) return { kind: 'too-many' }
  const trees = await readTrees(ask, [base, ...steps.map(({ parent }) => parent ?? emptyTree)])
  let onto = { sha: base, tree: trees[0]! }
  for (const [i, step] of steps.entries()) {
    const parentTree = trees[i + 1]!
    const tree =
      onto.tree === parentTree ? step.tree : await replay(ask, { ...step, onto: onto.tree, signature: committer })
    if (!tree) return { kind: 'conflict' }
    const wasEmpty = step.tree === parentTree
    if (tree === onto.tree && !wasEmpty) continue
    const { output } = await ask(['cat-file', 'commit', step.sha])
    const text = spellCommit({ ...readKept(output), tree, parents: [onto.sha], committer })
    onto = { sha: await writeCommit(ask, text), tree }
  }
  return onto.sha === base ? { kind: 'nothing' } : { kind: 'merged', sha: onto.sha }
}

/** The way back is a step from what was there after the change to what was there before it. */
async function revert(ask: Ask, { base, before, after, ...draft }: RevertDraft): Promise<Merged> {
  const isIn = (await ask(['merge-base', '--is-ancestor', after, base], { accepts: [1] })).code === 0
  if (!isIn) return { kind: 'nothing' }
  const [baseTree, beforeTree] = await readTrees(ask, [base, before])
  const { author, committer } = draft
  const stand = { tree: beforeTree!, parents: [after], author, committer, message: '' }
  const tree = await mergeTrees(ask, base, await writeCommit(ask, spellCommit(stand)))
  if (!tree) return { kind: 'conflict' }
  if (tree === baseTree) return { kind: 'nothing' }
  return { kind: 'merged', sha: await writeCommit(ask, spellCommit({ ...draft, tree, parents: [base] })) }
}

/**
 * Applies the changes of a step to another tree. git 2.38 takes a merge base only from history, so the target tree gets
 * a temporary commit whose parent is the step's: that parent is then the merge base.
 */
function replay(
  ask: Ask,
  { sha, parent, onto, signature }: Step & { onto: string; signature: string },
): Promise<string | undefined> {
  const stand = { tree: onto, parents: parent ? [parent] : [], author: signature, committer: signature, message: '' }
  return writeCommit(ask, spellCommit(stand)).then((made) =>
    mergeTrees(ask, made, sha, ...(parent ? [] : ['--allow-unrelated-histories'])),
  )
}

const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

async function readTrees(ask: Ask, names: readonly string[]): Promise<string[]> {
  const input = names.map((name) => (name === emptyTree ? `${name}\n` : `${name}^{tree}\n`)).join('')
  const { output } = await ask(['cat-file', '--batch-check=%(objectname)'], { input })
  return output.toString().split('\n').slice(0, names.length)
}
