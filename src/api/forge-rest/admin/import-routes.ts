/** Routes for site admins: upload a migration's archive, and follow its import. */
import { invalidField } from '../../../forge/failures.ts'
import type { Import } from '../../../forge/migrations/import/import-row.ts'
import type { ImportSummary } from '../../../forge/migrations/import/import-summary.ts'
import type { Imports } from '../../../forge/migrations/import/imports.ts'
import { siteAdmin } from '../doors.ts'
import { pageOf } from '../outcomes.ts'
import { type Query, readId } from '../query.ts'
import { ok } from '../rest-answer.ts'
import { fileRoute, type Route, route, usualPage } from '../route.ts'
import { formatTime, nodeId, type View } from '../view.ts'

const admin = { door: siteAdmin, resource: 'Import' } as const

/** `users=ann:anna,cid:sid` maps logins of the archive to logins here. */
function readLogins(query: Query): Record<string, string> {
  const pairs = query.texts('users').map((pair) => pair.split(':'))
  const isPair = ([from, to, ...more]: readonly string[]) => from && to && more.length === 0
  if (!pairs.every(isPair))
    throw invalidField('users', 'invalid', 'users lists pairs of logins, as in ann:anna,cid:sid.')
  return Object.fromEntries(pairs)
}

const importUrl = ({ base }: View, { id }: Import): string => `${base}/admin/imports/${id}`

const presentSummary = (summary: ImportSummary) => ({
  from: summary.from,
  repositories: summary.repositories,
  counts: summary.counts,
  left_out: summary.leftOut.map(([what, count]) => ({ what, count })),
  new_accounts: summary.newAccounts,
  new_account_count: summary.newAccountCount,
})

const presentImport = (one: Import, view: View) => ({
  id: one.id,
  node_id: nodeId('Import', one.id),
  state: one.state,
  progress: one.progress,
  failure_reason: one.failureReason,
  owner: one.options.owner ?? null,
  users: one.options.logins,
  archive_bytes: one.archiveBytes,
  preview: one.options.isPreview,
  record_count: one.recordCount,
  summary: one.summary && presentSummary(one.summary),
  repositories: one.repositories.map(({ id, owner, name }) => ({
    id,
    full_name: `${owner}/${name}`,
    url: `${view.base}/repos/${owner}/${name}`,
    html_url: `${view.origin}/${owner}/${name}`,
  })),
  url: importUrl(view, one),
  created_at: formatTime(one.createdAt),
  updated_at: formatTime(one.updatedAt),
})

export const importRoutes = ({ imports }: { imports: Imports }): readonly Route[] => [
  fileRoute('POST /admin/imports', {
    ...admin,
    id: 'import-an-archive',
    summary:
      'Imports the archive of a user migration, of this server’s kind or of the public platform, sent as the body, in the background: all of it or nothing. `owner` becomes the owner of its repositories; `users` (`ann:anna,cid:sid`) maps logins in the archive to logins here; `preview=true` only checks it and says what would be made and left out.',
    fileMib: ({ importMib }) => importMib,
    async handle({ target, query, body, view }) {
      const isPreview = query.flag('preview')
      const options = { logins: readLogins(query), owner: query.text('owner'), origin: view.origin, isPreview }
      const started = await imports.start(target, body, options)
      return { status: 202, body: presentImport(started, view), headers: { location: importUrl(view, started) } }
    },
  }),
  route('GET /admin/imports', {
    ...admin,
    id: 'list-imports',
    summary: 'Imports of archives, the newest first.',
    pageSize: usualPage,
    handle: ({ target, page, view }) => pageOf(imports.list(target, page), presentImport, view),
  }),
  route('GET /admin/imports/:import_id', {
    ...admin,
    id: 'get-an-import',
    summary:
      'Shows an import: its state (pending, importing, imported, previewed or failed), the repositories it created, and in `summary` what it brings and leaves out.',
    async handle({ target, params, view }) {
      return ok(presentImport(await imports.get(target, readId(params.import_id)), view))
    },
  }),
]
