/** Finds installations: for the app, for the owners of the account, for a user. */
import type { SignedIn } from '../../../accounts/actor.ts'
import type { Page, PageRequest } from '../../../lib/page.ts'
import type { Db } from '../../../store/schema/schema.ts'
import type { Store } from '../../../store/store.ts'
import type { AppItself } from '../../access/app-access.ts'
import { isOfCountedOwner } from '../../access/counted-owners.ts'
import { demandSignOn, listLackingSignOn } from '../../access/sign-on.ts'
import { notFound } from '../../failures.ts'
import type { People } from '../../people/people.ts'
import type { Person } from '../../person.ts'
import { countRows } from '../../row-pages.ts'
import type { AppRegistration } from '../registration/app-registration.ts'
import { completeInstallations, type Installation, type InstallationRow, selectInstallations } from './installation.ts'

type Needs = { store: Store; people: People; registration: AppRegistration }

export type InstallationLookup = ReturnType<typeof makeInstallationLookup>

export function makeInstallationLookup({ store, people, registration }: Needs) {
  const { db } = store

  async function complete(row: InstallationRow | undefined, on: Db = db): Promise<Installation> {
    if (!row) throw notFound()
    return (await completeInstallations(on, [row]))[0]!
  }

  const read = async (id: number, on: Db = db) =>
    complete(await selectInstallations(on).where('id', '=', id).executeTakeFirst(), on)

  async function page(query: ReturnType<typeof selectInstallations>, { offset, limit }: PageRequest) {
    const rows = await query.orderBy('app_installation.id').offset(offset).limit(limit).execute()
    return { total: await countRows(query), items: await completeInstallations(db, rows) }
  }

  async function ofApp(appId: number, id: number): Promise<Installation> {
    const found = await selectInstallations(db).where('id', '=', id).where('app_id', '=', appId).executeTakeFirst()
    return complete(found)
  }

  async function isMember(organisationId: number, userId: number): Promise<boolean> {
    const row = await db
      .selectFrom('organisation_member')
      .select('user_id')
      .where('organisation_id', '=', organisationId)
      .where('user_id', '=', userId)
      .where('state', '=', 'active')
      .executeTakeFirst()
    return row !== undefined
  }

  return {
    read,

    get: (app: AppItself, id: number) => ofApp(app.id, id),
    list: (app: AppItself, request: PageRequest) => page(selectInstallations(db).where('app_id', '=', app.id), request),
    count: (appId: number) => countRows(db.selectFrom('app_installation').where('app_id', '=', appId)),

    async findOn(app: AppItself, login: string, kind?: Person['kind']): Promise<Installation> {
      const account = await people.get(login, kind)
      const query = selectInstallations(db).where('app_id', '=', app.id).where('account_id', '=', account.id)
      return complete(await query.executeTakeFirst())
    },

    /** The app's installation on an account, by the account's name or id. */
    async findWith(appId: number, { login, id }: { login?: string; id?: number }): Promise<Installation> {
      const accountId = login === undefined ? (id ?? 0) : (await people.get(login)).id
      const query = selectInstallations(db).where('app_id', '=', appId).where('account_id', '=', accountId)
      return complete(await query.executeTakeFirst())
    },

    /** The app may learn whether its installation covers a repository, even one that it cannot see. */
    async findForRepository(app: AppItself, owner: string, name: string): Promise<Installation> {
      const row = await selectInstallations(db)
        .innerJoin('repository', 'repository.owner_id', 'app_installation.account_id')
        .innerJoin('account', 'account.id', 'repository.owner_id')
        .where('app_installation.app_id', '=', app.id)
        .where('account.name_key', '=', owner.toLowerCase())
        .where('repository.name_key', '=', name.toLowerCase())
        .where((eb) =>
          eb.or([
            eb('app_installation.selection', '=', 'all'),
            eb.exists(
              eb
                .selectFrom('app_installation_repository as chosen')
                .select('chosen.repository_id')
                .whereRef('chosen.installation_id', '=', 'app_installation.id')
                .whereRef('chosen.repository_id', '=', 'repository.id'),
            ),
          ]),
        )
        .executeTakeFirst()
      return complete(row)
    },

    /** The installations on an account, for its owners. */
    listOn: (account: Person, request: PageRequest): Promise<Page<Installation>> =>
      page(selectInstallations(db).where('account_id', '=', account.id), request),

    /**
     * With an app's token: that app's installations on the user and the user's organisations. Otherwise: all
     * installations on accounts that the user owns.
     */
    listFor(actor: SignedIn, request: PageRequest): Promise<Page<Installation>> {
      const appId = actor.credential.kind === 'token' ? actor.credential.token.app?.id : undefined
      const { id } = actor.account
      const lacking = listLackingSignOn(actor)
      const query = selectInstallations(db).where((eb) => {
        const memberships = eb
          .selectFrom('organisation_member')
          .select('organisation_id')
          .where('user_id', '=', id)
          .where('state', '=', 'active')
        const organisations = appId === undefined ? memberships.where('role', '=', 'admin') : memberships
        return eb.and([
          eb.or([eb('account_id', '=', id), eb('account_id', 'in', organisations)]),
          ...(lacking.length === 0 ? [] : [eb('account_id', 'not in', lacking)]),
          appId === undefined ? isOfCountedOwner(actor, 'account_id') : eb('app_id', '=', appId),
        ])
      })
      return page(query, request)
    },
    /** An installation that `listFor` would list. */
    async see(actor: SignedIn, id: number): Promise<Installation> {
      const installation = await read(id)
      const appId = actor.credential.kind === 'token' ? actor.credential.token.app?.id : undefined
      const { account, app } = installation
      const isSeen =
        appId === undefined
          ? await registration.mayRun(actor, { owner: account })
          : app.id === appId && (account.id === actor.account.id || (await isMember(account.id, actor.account.id)))
      if (!isSeen) throw notFound()
      demandSignOn(actor, account.id)
      return installation
    },
  }
}
