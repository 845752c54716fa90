/** Routes of code that is written, and of what belongs to commits and branches. */
import { branchWriteRoutes } from '../git/branches.ts'
import { contentWriteRoutes } from '../git/write-contents.ts'
import { gitDataWriteRoutes } from '../git/write-git-data.ts'
import type { Route } from '../route.ts'
import { protectionRoutes } from './protection.ts'
import { statusRoutes } from './statuses.ts'

export const codeRoutes: readonly Route[] = [
  ...contentWriteRoutes,
  ...gitDataWriteRoutes,
  ...branchWriteRoutes,
  ...statusRoutes,
  ...protectionRoutes,
]
