/** Routes of code that is written, of what belongs to commits and branches, of releases and of files. */
import { branchWriteRoutes } from '../git/branches.ts'
import { contentWriteRoutes } from '../git/write-contents.ts'
import { gitDataWriteRoutes } from '../git/write-git-data.ts'
import { assetRoutes } from '../releases/assets.ts'
import { attachmentRoutes } from '../releases/attachments.ts'
import { releaseRoutes } from '../releases/releases.ts'
import type { Route } from '../route.ts'
import { commitCommentRoutes } from './comments.ts'
import { protectionRoutes } from './protection.ts'
import { statusRoutes } from './statuses.ts'

export const codeRoutes: readonly Route[] = [
  ...contentWriteRoutes,
  ...gitDataWriteRoutes,
  ...branchWriteRoutes,
  ...statusRoutes,
  ...protectionRoutes,
  ...commitCommentRoutes,
  ...releaseRoutes,
  ...assetRoutes,
  ...attachmentRoutes,
]
