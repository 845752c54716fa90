/** A ref before and after a push; all zeros where there is none. */
export type RefChange = { readonly ref: string; readonly before: string; readonly after: string }

const branches = 'refs/heads/'

/** Of the branches among them, by their names. */
export const readBranchMoves = (changes: readonly RefChange[]) =>
  changes
    .filter(({ ref }) => ref.startsWith(branches))
    .map(({ ref, before, after }) => ({ branch: ref.slice(branches.length), before, after }))
