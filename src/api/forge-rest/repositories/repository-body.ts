/** Bodies of repositories, and the orders of their lists. */
import type { Static } from 'typebox'
import type { RepositoryOptions } from '../../../forge/access/repository-options.ts'
import { invalidField } from '../../../forge/failures.ts'
import type { RepositoryChange } from '../../../forge/repositories/repositories.ts'
import type { RepositoryDraft } from '../../../forge/repositories/repository-creation.ts'
import type { RepositoryOrder } from '../../../forge/repositories/repository-lists.ts'
import { findIgnores, findLicense, type Starters } from '../../../forge/repositories/starters/starters.ts'
import { omitUndefined } from '../../../lib/omit-undefined.ts'
import type { Query } from '../query.ts'
import { Flag, NullableText, OneOf, Optional, Shape, Text, Whole } from '../schemas.ts'

const optionNames: Record<string, keyof RepositoryOptions> = {
  has_issues: 'hasIssues',
  has_projects: 'hasProjects',
  has_wiki: 'hasWiki',
  has_downloads: 'hasDownloads',
  has_discussions: 'hasDiscussions',
  is_template: 'isTemplate',
  allow_merge_commit: 'allowMergeCommit',
  allow_squash_merge: 'allowSquashMerge',
  allow_rebase_merge: 'allowRebaseMerge',
  allow_auto_merge: 'allowAutoMerge',
  allow_update_branch: 'allowUpdateBranch',
  allow_forking: 'allowForking',
  allow_force_pushes: 'allowForcePushes',
  delete_branch_on_merge: 'deleteBranchOnMerge',
  web_commit_signoff_required: 'webCommitSignoffRequired',
}

const optionShape = Object.fromEntries(Object.keys(optionNames).map((name) => [name, Optional(Flag)]))

const members = {
  description: Optional(NullableText(2_000)),
  homepage: Optional(NullableText(500)),
  private: Optional(Flag),
  visibility: Optional(OneOf('public', 'private')),
}

export const RepositoryBody = Shape({
  ...{ ...optionShape, ...members, name: Text(100, 1), auto_init: Optional(Flag) },
  license_template: Optional(NullableText(100)),
  gitignore_template: Optional(NullableText(100)),
})

export const OrganisationRepositoryBody = Shape({ ...RepositoryBody.properties, team_id: Optional(Whole) })

export const RepositoryChangeBody = Shape({
  ...optionShape,
  ...members,
  name: Optional(Text(100, 1)),
  default_branch: Optional(Text(255, 1)),
  archived: Optional(Flag),
})

type Given = { [name: string]: unknown; private?: boolean; visibility?: 'public' | 'private' }

function readOptions(body: Given): Partial<RepositoryOptions> {
  const given = Object.entries(optionNames).filter(([name]) => typeof body[name] === 'boolean')
  return Object.fromEntries(given.map(([name, option]) => [option, body[name]]))
}

const readPrivacy = ({ private: isPrivate, visibility }: Given): { isPrivate?: boolean } => {
  if (visibility !== undefined) return { isPrivate: visibility === 'private' }
  return isPrivate === undefined ? {} : { isPrivate }
}

export function toRepositoryDraft(body: Static<typeof RepositoryBody>): RepositoryDraft {
  const { name, description, homepage, auto_init: autoInit } = body
  return {
    name,
    options: readOptions(body),
    ...readPrivacy(body),
    ...omitUndefined({ description, homepage, autoInit, starters: readStarters(body) }),
  }
}

function readStarters(body: Static<typeof RepositoryBody>): Starters | undefined {
  const { license_template: license, gitignore_template: ignores } = body
  if (license && !findLicense(license))
    throw invalidField('license_template', 'invalid', 'license_template is none of those of GET /licenses.')
  if (ignores && !findIgnores(ignores))
    throw invalidField(
      'gitignore_template',
      'invalid',
      'gitignore_template is none of those of GET /gitignore/templates.',
    )
  return license || ignores ? { license: license || undefined, ignores: ignores || undefined } : undefined
}

export function toRepositoryChange(body: Static<typeof RepositoryChangeBody>): RepositoryChange {
  const options = readOptions(body)
  const { name, description, homepage, default_branch: defaultBranch, archived: isArchived } = body
  return {
    ...readPrivacy(body),
    ...(Object.keys(options).length > 0 && { options }),
    ...omitUndefined({ name, description, homepage, defaultBranch, isArchived }),
  }
}

/** By default names ascend and times descend. */
export function readOrder(query: Query, usual: Exclude<RepositoryOrder['sort'], 'stars'>): RepositoryOrder {
  const sort = query.oneOf('sort', ['created', 'updated', 'pushed', 'full_name'], usual)
  return { sort, direction: query.oneOf('direction', ['asc', 'desc'], sort === 'full_name' ? 'asc' : 'desc') }
}
