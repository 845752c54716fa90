/** Audit entries about apps and installations, with the public platform's names and without secrets. */
import type { Actor } from '../../accounts/actor.ts'
import { type AuditAct, recordAudit } from '../../accounts/audit/audit-log.ts'
import type { Db } from '../../store/schema/schema.ts'
import { auditOrganisation, auditUser } from '../access/audit-place.ts'
import type { Person } from '../person.ts'
import type { App } from './app.ts'
import type { Installation } from './installations/installation.ts'

type Data = NonNullable<AuditAct['data']>

/** The app's owner, or the account that it is installed on. */
const placeOf = (account: Person) => (account.kind === 'organisation' ? auditOrganisation(account) : auditUser(account))

const describeApp = ({ id, name, clientId }: App): Data => ({ app_id: id, app_name: name, client_id: clientId })

export function recordAppAct(trx: Db, now: number, actor: Actor, act: string, app: App, more: Data = {}) {
  const action = `${app.kind === 'app' ? 'integration' : 'oauth_application'}.${act}`
  return recordAudit(trx, now, actor, { action, ...placeOf(app.owner), data: { ...describeApp(app), ...more } })
}

/** Recorded in the log of the organisation that decided, whoever owns the app. */
export const recordApproval = (
  trx: Db,
  now: number,
  actor: Actor,
  isApproved: boolean,
  app: App,
  organisation: Person,
) =>
  recordAudit(trx, now, actor, {
    action: isApproved ? 'org.oauth_app_access_approved' : 'org.oauth_app_access_denied',
    ...auditOrganisation(organisation),
    data: describeApp(app),
  })

export function recordInstallationAct(
  trx: Db,
  now: number,
  actor: Actor,
  act: string,
  { id, app, account }: Pick<Installation, 'id' | 'app' | 'account'>,
  more: Data = {},
) {
  const data = { installation_id: id, ...describeApp(app), ...more }
  return recordAudit(trx, now, actor, { action: `integration_installation.${act}`, ...placeOf(account), data })
}

export const listPermissions = (permissions: App['permissions']): string[] =>
  Object.entries(permissions).map(([name, level]) => `${name}=${level}`)
