/** A ref before and after a push; all zeros if there is none. */
export type RefChange = { readonly ref: string; readonly before: string; readonly after: string }

const branches = 'refs/heads/'

/** The changes of branches, by the branches' names. */
export const readBranchMoves = (changes: readonly RefChange[]) =>
  changes
    .filter(({ ref }) => ref.startsWith(branches))
    .map(({ ref, before, after }) => ({ branch: ref.slice(branches.length), before, after }))
