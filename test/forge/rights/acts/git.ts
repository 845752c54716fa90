/** Acts with git: what its first request of a clone and of a push is told, which decides both. */
import { enter, reachedLevel, sees } from '../access.ts'
import { type Act, type Names, type Params, spellRepository } from '../act.ts'
import {
  type Credential,
  hasPermissions,
  hasScopes,
  holdsPermission,
  holdsScope,
  isAnonymous,
  selects,
} from '../credential.ts'
import { decide, type Guard } from '../truth.ts'
import { fullName, type Repository, rank, type World } from '../world.ts'
import { drawOne } from './repositories.ts'

/** To nobody it is not said whether there is such a repository: they are asked who they are. */
const hidden = (world: World, credential: Credential, repository: Repository): Guard[] => [
  ...enter(world, credential),
  [!sees(world, credential, repository) && isAnonymous(credential), 401],
  [!sees(world, credential, repository), 404],
]

export const cloneGuards = (world: World, credential: Credential, repository: Repository): Guard[] => [
  ...hidden(world, credential, repository),
  [repository.isPrivate && hasPermissions(credential) && !holdsPermission(credential, 'contents', 'read'), 403],
]

export const pushGuards = (world: World, credential: Credential, repository: Repository): Guard[] => [
  ...hidden(world, credential, repository),
  [isAnonymous(credential), 401],
  [
    hasScopes(credential) && !holdsScope(credential, ...(repository.isPrivate ? ['repo'] : ['repo', 'public_repo'])),
    403,
  ],
  [
    hasPermissions(credential) &&
      !(selects(credential, fullName(repository)) && holdsPermission(credential, 'contents', 'write')),
    403,
  ],
  [rank(reachedLevel(world, credential, repository)) < rank('write'), 403],
  [repository.isArchived, 403],
]

const advertising = (service: 'upload-pack' | 'receive-pack') => (params: Params, names: Names) => ({
  method: 'GET',
  path: `/${spellRepository(names, params.repository)}.git/info/refs?service=git-${service}`,
})

export const gitActs: readonly Act[] = [
  {
    name: 'begin a clone',
    weight: 2,
    draw: drawOne,
    expect(world, credential, params) {
      const repository = world.repositories.get(params.repository)
      return repository && { statuses: decide(cloneGuards(world, credential, repository), 200) }
    },
    request: advertising('upload-pack'),
  },
  {
    name: 'begin a push',
    weight: 3,
    draw: drawOne,
    expect(world, credential, params) {
      const repository = world.repositories.get(params.repository)
      return repository && { statuses: decide(pushGuards(world, credential, repository), 200) }
    },
    request: advertising('receive-pack'),
  },
]
