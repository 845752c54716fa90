/** The options of a repository, with their defaults. */

/** The switches of a repository and their defaults; only differences are stored. */
export const defaultOptions = {
  hasIssues: true,
  hasProjects: true,
  hasWiki: true,
  hasPages: false,
  hasDownloads: true,
  hasDiscussions: false,
  isTemplate: false,
  allowMergeCommit: true,
  allowSquashMerge: true,
  allowRebaseMerge: true,
  allowAutoMerge: false,
  allowUpdateBranch: false,
  allowForking: true,
  /** For the default branch; other branches allow them anyway. */
  allowForcePushes: true,
  deleteBranchOnMerge: false,
  webCommitSignoffRequired: false,
}

export type RepositoryOptions = typeof defaultOptions
