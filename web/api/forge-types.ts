/** Answers of the forge's REST interface that several parts of the page use. */

export type User = {
  readonly login: string
  readonly id: number
  readonly avatar_url: string
  readonly html_url: string
  readonly type: 'User' | 'Organization' | 'Bot'
}

export type Permissions = {
  readonly admin: boolean
  readonly maintain: boolean
  readonly push: boolean
  readonly triage: boolean
  readonly pull: boolean
}

export type Repository = {
  readonly id: number
  readonly name: string
  readonly full_name: string
  readonly owner: User
  readonly private: boolean
  readonly fork: boolean
  readonly description: string | null
  readonly homepage: string | null
  readonly clone_url: string
  readonly ssh_url: string
  readonly default_branch: string
  /** The source of a mirror, which takes no pushes. */
  readonly mirror_url: string | null
  readonly language: string | null
  readonly archived: boolean
  readonly has_issues: boolean
  readonly has_wiki: boolean
  readonly is_template: boolean
  readonly topics: readonly string[]
  readonly size: number
  readonly stargazers_count: number
  readonly forks_count: number
  readonly open_issues_count: number
  readonly subscribers_count?: number
  readonly created_at: string
  readonly updated_at: string
  readonly pushed_at: string
  readonly permissions?: Permissions
  readonly parent?: Repository
  readonly allow_merge_commit?: boolean
  readonly allow_squash_merge?: boolean
  readonly allow_rebase_merge?: boolean
  readonly allow_auto_merge?: boolean
  readonly allow_forking?: boolean
  readonly delete_branch_on_merge?: boolean
}

export type Signature = { readonly name: string; readonly email: string; readonly date: string }

export type Commit = {
  readonly sha: string
  readonly commit: {
    readonly author: Signature
    readonly committer: Signature
    readonly message: string
    readonly comment_count: number
    readonly verification: { readonly verified: boolean; readonly reason: string }
  }
  readonly author: User | null
  readonly committer: User | null
  readonly parents: readonly { readonly sha: string }[]
  /** Only present for a single commit. */
  readonly stats?: { readonly total: number; readonly additions: number; readonly deletions: number }
  readonly files?: readonly ChangedFile[]
}

/** A file of a commit, of a comparison or of a pull. */
export type ChangedFile = {
  readonly sha: string | null
  readonly filename: string
  readonly previous_filename?: string
  readonly status: string
  readonly additions: number
  readonly deletions: number
  readonly changes: number
  readonly patch?: string
}

/** A commit status. */
export type Status = {
  readonly id: number
  readonly state: 'success' | 'failure' | 'error' | 'pending'
  readonly context: string
  readonly description: string | null
  readonly target_url: string | null
  readonly updated_at: string
}
