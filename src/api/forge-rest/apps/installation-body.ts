/** Reads from a body which repositories an installation or its token is for: all, or the named ones. */
import type { Choice } from '../../../forge/apps/installations/installations.ts'
import { invalidField } from '../../../forge/failures.ts'
import { List, OneOf, Optional, Shape, Text, Type, Whole } from '../schemas.ts'
import { Permissions } from './app-body.ts'

const Names = List(Text(200, 1), { maxItems: 1_000 })
const Ids = List(Whole, { maxItems: 1_000 })

export const InstallBody = Shape({
  account: Text(39, 1),
  repository_selection: Optional(OneOf('all', 'selected')),
  repositories: Optional(Type.Union([OneOf('all'), Names])),
  repository_ids: Optional(Ids),
  permissions: Optional(Permissions),
})

export const InstallationChangeBody = Shape({
  repository_selection: Optional(OneOf('all', 'selected')),
  repositories: Optional(Type.Union([OneOf('all'), Names])),
  repository_ids: Optional(Ids),
  accept_permissions: Optional(Permissions),
})

export const TokenBody = Shape({
  repositories: Optional(List(Text(200, 1), { maxItems: 500 })),
  repository_ids: Optional(List(Whole, { maxItems: 500 })),
  permissions: Optional(Permissions),
})

type Chosen = {
  readonly repository_selection?: 'all' | 'selected'
  readonly repositories?: 'all' | string[]
  readonly repository_ids?: number[]
}

/** `selected` without a list is an error, never read as `all`. */
export function readChoice({
  repository_selection: selection,
  repositories: names,
  repository_ids: ids,
}: Chosen): Choice | undefined {
  if (names !== undefined && ids !== undefined)
    throw invalidField('repositories', 'invalid', 'Give repositories or repository_ids, not both.')
  const choice = ids ? { ids } : typeof names === 'object' ? { names } : names
  if (selection === undefined) return choice
  const isSelected = choice !== undefined && choice !== 'all'
  if (isSelected !== (selection === 'selected'))
    throw invalidField(
      'repository_selection',
      'invalid',
      'For selected, name them in repositories or repository_ids; for all, name none.',
    )
  return choice ?? 'all'
}
