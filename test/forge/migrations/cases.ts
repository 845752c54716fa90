/** Requests that succeed, for the routes of user migrations. */
import type { Case } from '../route-cases.ts'
import type { World } from '../world.ts'
import { awaitExport } from './exports.ts'

async function startMigration({ ann }: World, isLocked: boolean) {
  const draft = { repositories: ['ann/open'], lock_repositories: isLocked, exclude_git_data: true }
  // An account has ten at most: what other cases left is thrown away.
  const { body: kept } = await ann.get('/user/migrations?per_page=100')
  for (const one of kept) if (one.archive_url) await ann.delete(`/user/migrations/${one.id}/archive`)
  const { body } = await ann.post('/user/migrations', draft)
  return awaitExport(ann, body.id)
}

const freshMigration: Case['fresh'] = async (world) => ({ migration_id: (await startMigration(world, false)).id })

const lockedMigration: Case['fresh'] = async (world) => {
  const { id } = await startMigration(world, true)
  return { migration_id: id, repo_name: 'open' }
}

const signedArchive: Case['fresh'] = async (world) => {
  const { id } = await startMigration(world, false)
  const address = new URL((await world.ann.get(`/user/migrations/${id}/archive`)).headers.get('location')!)
  return { guid: address.pathname.split('/')[2]!, query: address.search }
}

const freshImport: Case['fresh'] = async ({ root }) => ({ import_id: (await root.post('/admin/imports', {})).body.id })

export const migrationCases: Record<string, Case> = {
  'start-a-user-migration': { body: { repositories: ['ann/open'], exclude_git_data: true }, fresh: freshMigration },
  'get-a-user-migration-status': { fresh: freshMigration },
  'download-a-user-migration-archive': { fresh: freshMigration },
  'delete-a-user-migration-archive': { fresh: freshMigration },
  'unlock-a-user-repository': { fresh: lockedMigration },
  'list-repositories-for-a-user-migration': { fresh: freshMigration },
  'get-a-migration-archive': { fresh: signedArchive },
  'import-an-archive': { by: 'admin', body: {} },
  'list-imports': { by: 'admin' },
  'get-an-import': { by: 'admin', fresh: freshImport },
}
