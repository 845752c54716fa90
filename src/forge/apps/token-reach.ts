/** The current rights of an app's token: its grant, as far as the app still requests it and is still installed. */
import type { Reach, Token, TokenApp } from '../../accounts/tokens/token.ts'
import type { NarrowToApp } from '../../accounts/tokens.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import type { Permissions } from './app.ts'
import { type InstallationRow, listChosen } from './installations/installation.ts'
import { intersect } from './permissions.ts'

/** Runs at each look-up of a token, never cached: rights taken from an app are taken from its tokens. */
export function makeTokenReach({ store: { db } }: { store: Store }): NarrowToApp {
  const findApp = (id: number) =>
    db
      .selectFrom('app')
      .innerJoin('account as owner', 'owner.id', 'app.owner_id')
      .select(['app.permissions', 'owner.suspended_at'])
      .where('app.id', '=', id)
      .executeTakeFirst()

  async function narrowToInstallation(token: Token, id: number, ofApp: Permissions): Promise<Token | undefined> {
    const row = await db
      .selectFrom('app_installation')
      .innerJoin('account as holder', 'holder.id', 'app_installation.account_id')
      .selectAll('app_installation')
      .select('holder.suspended_at as holder_suspended_at')
      .where('app_installation.id', '=', id)
      .executeTakeFirst()
    if (!row) return undefined
    const isSuspended = row.suspended_at !== null || row.holder_suspended_at !== null
    if (isSuspended) return { ...token, permissions: {}, repositories: 'none', app: { ...token.app!, isSuspended } }
    return { ...token, ...(await reachOf(db, row, token, ofApp)) }
  }

  /** A token that was narrowed to one installation covers only that one. */
  async function withInstallations(token: Token, { id, installationId }: TokenApp, ofApp: Permissions): Promise<Token> {
    const rows = await db
      .selectFrom('app_installation')
      .innerJoin('account as holder', 'holder.id', 'app_installation.account_id')
      .selectAll('app_installation')
      .where('app_installation.app_id', '=', id)
      .$if(installationId !== undefined, (query) => query.where('app_installation.id', '=', installationId!))
      .where('app_installation.suspended_at', 'is', null)
      .where('holder.suspended_at', 'is', null)
      .execute()
    const installations = new Map<number, Reach>()
    for (const row of rows) installations.set(row.account_id, await reachOf(db, row, token, ofApp))
    return { ...token, permissions: intersect(token.permissions, ofApp), app: { ...token.app!, installations } }
  }

  return async (token) => {
    const { id, installationId } = token.app!
    const app = await findApp(id)
    if (!app || app.suspended_at !== null) return undefined
    const ofApp: Permissions = JSON.parse(app.permissions)
    if (token.kind === 'app-user') return withInstallations(token, token.app!, ofApp)
    return installationId === undefined ? token : narrowToInstallation(token, installationId, ofApp)
  }
}

async function reachOf(db: Db, row: InstallationRow, token: Token, ofApp: Permissions): Promise<Reach> {
  const permissions = intersect(intersect(token.permissions, JSON.parse(row.permissions)), ofApp)
  const { repositories } = token
  if (row.selection === 'all') return { permissions, repositories }
  const chosen = await listChosen(db, row.id)
  if (repositories === 'all') return { permissions, repositories: chosen }
  const narrowed = repositories === 'none' ? [] : repositories.filter((id) => chosen.includes(id))
  return { permissions, repositories: narrowed }
}
