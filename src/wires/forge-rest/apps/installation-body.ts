/** Which repositories an installation or its token is for: all, or those that are named. */
import type { Choice } from '../../../forge/apps/installations.ts'
import { invalidField } from '../../../forge/failures.ts'
import { List, OneOf, Optional, Shape, Text, Type, Whole } from '../schemas.ts'
import { Permissions } from './app-body.ts'

const Names = List(Text(200, 1), { maxItems: 1_000 })
const Ids = List(Whole, { maxItems: 1_000 })

export const InstallBody = Shape({
  account: Text(39, 1),
  repositories: Optional(Type.Union([OneOf('all'), Names])),
  repository_ids: Optional(Ids),
  permissions: Optional(Permissions),
})

export const InstallationChangeBody = Shape({
  repositories: Optional(Type.Union([OneOf('all'), Names])),
  repository_ids: Optional(Ids),
  accept_permissions: Optional(Permissions),
})

export const TokenBody = Shape({
  repositories: Optional(List(Text(200, 1), { maxItems: 500 })),
  repository_ids: Optional(List(Whole, { maxItems: 500 })),
  permissions: Optional(Permissions),
})

export function readChoice(names: 'all' | string[] | undefined, ids: number[] | undefined): Choice | undefined {
  if (names !== undefined && ids !== undefined)
    throw invalidField('repositories', 'invalid', 'Give repositories or repository_ids, not both.')
  if (ids) return { ids }
  return typeof names === 'object' ? { names } : names
}
