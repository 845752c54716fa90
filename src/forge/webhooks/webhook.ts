/** A webhook: its events, its owner and its destination. */
import type { Selectable } from 'kysely'
import type { WebhookTable } from '../../store/schema/webhook-tables.ts'
import { AppItself } from '../access/app-access.ts'
import type { Access } from '../access/opening.ts'
import type { OrganisationAccess } from '../access/organisation-access.ts'
import type { SiteAdmin } from '../access/site-admin.ts'
import type { AppHandingOwnership } from '../apps/registration/app-registration.ts'

/** The events that hooks can receive. `submission` is our own: the judge has finished with one. */
export const hookEventNames = [
  'check_run',
  'check_suite',
  'commit_comment',
  'create',
  'delete',
  'deployment',
  'deployment_status',
  'fork',
  'issue_comment',
  'issues',
  'label',
  'member',
  'membership',
  'milestone',
  'organization',
  'ping',
  'public',
  'pull_request',
  'pull_request_review',
  'pull_request_review_comment',
  'push',
  'release',
  'repository',
  'repository_dispatch',
  'star',
  'status',
  'submission',
  'team',
  'team_add',
  'watch',
] as const
/** Only apps receive the last two, without subscribing. */
export type HookEventName = (typeof hookEventNames)[number] | 'installation' | 'installation_repositories'

export const isOfInstallation = (event: string): boolean => event.startsWith('installation')

/** Hooks of one holder are listed and counted together. */
export type HookHolder =
  | { readonly kind: 'repository'; readonly repositoryId: number; readonly login: string; readonly name: string }
  | { readonly kind: 'organisation'; readonly organisationId: number; readonly login: string }
  | { readonly kind: 'app'; readonly appId: number }
  | { readonly kind: 'site' }

export type HookConfiguration = {
  readonly url: string
  readonly contentType: 'json' | 'form'
  readonly hasSecret: boolean
  readonly isInsecure: boolean
}

export type Webhook = HookConfiguration & {
  readonly id: number
  readonly holder: HookHolder
  readonly ownerId: number
  readonly events: readonly string[]
  readonly isActive: boolean
  readonly lastResponse: { readonly code: number | null; readonly status: string; readonly message: string | null }
  readonly createdAt: Date
  readonly updatedAt: Date
}

export type WebhookRow = Selectable<WebhookTable>

/** May change hooks: an admin of the repository, an owner of the organisation, a site admin. */
export type HookKeeper = Access<'admin'> | OrganisationAccess<'owner'> | SiteAdmin
/** May read hooks and redeliver deliveries. */
export type HookReader = Access<'admin', 'look'> | HookKeeper | AppReader
/** The app itself, or an owner whose credential has the app's rights: deliveries show data that the app may see. */
export type AppReader = AppItself | AppHandingOwnership

export function holderOf(reader: HookReader): HookHolder {
  if (reader instanceof AppItself) return { kind: 'app', appId: reader.id }
  if ('app' in reader) return { kind: 'app', appId: reader.app.id }
  if ('repository' in reader) {
    const { id, owner, name } = reader.repository
    return { kind: 'repository', repositoryId: id, login: owner.login, name }
  }
  if ('organisation' in reader) {
    const { id, login } = reader.organisation
    return { kind: 'organisation', organisationId: id, login }
  }
  return { kind: 'site' }
}

export const toWebhook = (row: WebhookRow, holder: HookHolder): Webhook => ({
  id: row.id,
  holder,
  ownerId: row.owner_id,
  url: row.url,
  contentType: row.content_type,
  hasSecret: row.secret !== null,
  isInsecure: row.is_insecure === 1,
  events: JSON.parse(row.events),
  isActive: row.is_active === 1,
  lastResponse: { code: row.last_code, status: row.last_status, message: row.last_message },
  createdAt: new Date(row.created_at),
  updatedAt: new Date(row.updated_at),
})

export const listensTo = (row: Pick<WebhookRow, 'events'>, event: HookEventName): boolean => {
  const events: string[] = JSON.parse(row.events)
  return event === 'ping' || isOfInstallation(event) || events.includes('*') || events.includes(event)
}
