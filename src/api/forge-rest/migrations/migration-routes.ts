/** Routes of user migrations: export an account's data, download the archive, unlock repositories. */

import { invalidField } from '../../../forge/failures.ts'
import type { MigrationDraft } from '../../../forge/migrations/migration.ts'
import type { Migrations } from '../../../forge/migrations/migrations.ts'
import { maxRepositories } from '../../../forge/migrations/migrations.ts'
import { omitUndefined } from '../../../lib/omit-undefined.ts'
import { anyone, signedIn } from '../doors.ts'
import { done, pageOf } from '../outcomes.ts'
import { type Query, readId } from '../query.ts'
import { created, ok } from '../rest-answer.ts'
import { type Route, route, usualPage } from '../route.ts'
import { Flag, List, OneOf, Optional, Shape, Text } from '../schemas.ts'
import type { View } from '../view.ts'
import { sendArchive } from './archive-file.ts'
import { migrationUrl, presentMigrated, presentMigration } from './present-migration.ts'

/** Only for account owners: neither apps nor fine-grained tokens (the contract, Authentication 8). */
const own = { door: signedIn, tokens: ['classic'], resource: 'Migration' } as const

const MigrationBody = Shape({
  repositories: List(Text(200), { maxItems: 10 * maxRepositories }),
  lock_repositories: Optional(Flag),
  exclude_metadata: Optional(Flag),
  exclude_git_data: Optional(Flag),
  exclude_attachments: Optional(Flag),
  exclude_releases: Optional(Flag),
  exclude_owner_projects: Optional(Flag),
  org_metadata_only: Optional(Flag),
  exclude: Optional(List(OneOf('repositories'))),
})

type Given = { readonly [K in keyof typeof flagNames]?: boolean } & { readonly repositories: readonly string[] }

const flagNames = {
  lock_repositories: 'lockRepositories',
  exclude_metadata: 'excludeMetadata',
  exclude_git_data: 'excludeGitData',
  exclude_attachments: 'excludeAttachments',
  exclude_releases: 'excludeReleases',
  exclude_owner_projects: 'excludeOwnerProjects',
  org_metadata_only: 'orgMetadataOnly',
} as const

function toDraft(body: Given, { origin }: View): MigrationDraft {
  const off = Object.fromEntries(Object.values(flagNames).map((name) => [name, false]))
  const given = Object.entries(flagNames).map(([word, name]) => [name, body[word as keyof typeof flagNames]])
  const flags = { ...off, ...omitUndefined(Object.fromEntries(given)) } as Omit<
    MigrationDraft,
    'repositories' | 'origin'
  >
  return { ...flags, repositories: body.repositories, origin }
}

/** Whether to include the repositories: nothing else can be excluded. */
function wantsRepositories(query: Query): boolean {
  const excluded = query.texts('exclude')
  if (excluded.some((word) => word !== 'repositories'))
    throw invalidField('exclude', 'invalid', 'Only repositories can be excluded.')
  return excluded.length === 0
}

export const migrationRoutes = ({ migrations }: { migrations: Migrations }): readonly Route[] => [
  route('GET /user/migrations', {
    ...own,
    id: 'list-user-migrations',
    summary: 'One’s own migrations, the newest first.',
    spansOrganisations: true,
    // Whether the archive still exists depends on the time.
    isLive: true,
    pageSize: usualPage,
    handle: ({ target, page, view }) =>
      pageOf(migrations.list(target, page), (migration) => presentMigration(migration, view), view),
  }),
  route('POST /user/migrations', {
    ...own,
    id: 'start-a-user-migration',
    summary:
      'Exports repositories that one administers, in the background; `lock_repositories` holds them from now on.',
    body: MigrationBody,
    async handle({ target, body, view }) {
      const migration = await migrations.start(target, toDraft(body, view))
      return created(presentMigration(migration, view, !body.exclude?.length), migrationUrl(view, migration))
    },
  }),
  route('GET /user/migrations/:migration_id', {
    ...own,
    id: 'get-a-user-migration-status',
    summary: 'A migration: pending, exporting, exported or failed. `exclude=repositories` leaves these out.',
    spansOrganisations: true,
    isLive: true,
    async handle({ target, params, query, view }) {
      const hasRepositories = wantsRepositories(query)
      return ok(presentMigration(await migrations.get(target, readId(params.migration_id)), view, hasRepositories))
    },
  }),
  route('GET /user/migrations/:migration_id/archive', {
    ...own,
    id: 'download-a-user-migration-archive',
    summary: 'Redirects to the archive, by an address that is good for five minutes.',
    isLive: true,
    async handle({ target, params, view }) {
      const id = readId(params.migration_id)
      const { guid, expires, signature } = await migrations.signArchive(target, id)
      const location = `${view.base}/migrations/${guid}/archive.tar.gz?expires=${expires}&signature=${signature}`
      const raw = { type: 'text/plain; charset=utf-8', bytes: Buffer.from(location) }
      return { status: 302, headers: { location }, raw }
    },
  }),
  route('DELETE /user/migrations/:migration_id/archive', {
    ...own,
    id: 'delete-a-user-migration-archive',
    summary: 'Deletes the archive; what is known of the migration stays.',
    handle: ({ target, params }) => done(migrations.removeArchive(target, readId(params.migration_id))),
  }),
  route('DELETE /user/migrations/:migration_id/repos/:repo_name/lock', {
    ...own,
    id: 'unlock-a-user-repository',
    summary: 'Unlocks a repository once the export has finished; `repo_name` may be `owner%2Fname`.',
    handle: ({ target, params }) => done(migrations.unlock(target, readId(params.migration_id), params.repo_name)),
  }),
  route('GET /user/migrations/:migration_id/repositories', {
    ...own,
    id: 'list-repositories-for-a-user-migration',
    summary: 'The repositories of a migration.',
    spansOrganisations: true,
    pageSize: usualPage,
    handle: ({ target, params, page, view }) =>
      pageOf(migrations.listRepositories(target, readId(params.migration_id), page), presentMigrated, view),
  }),
  route('GET /migrations/:guid/archive.tar.gz', {
    id: 'get-a-migration-archive',
    summary: 'The archive, for whoever has its signed address; with ranges.',
    door: anyone,
    resource: 'Migration',
    isFree: true,
    // Its address expires.
    isLive: true,
    handle: (call) => sendArchive(migrations, call),
  }),
]
