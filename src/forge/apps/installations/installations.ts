/** Installs apps on users and organisations, with all or chosen repositories, and lets their owners manage them. */
import type { Actor, SignedIn } from '../../../accounts/actor.ts'
import type { Clock } from '../../../lib/clock.ts'
import { demand, Failure } from '../../../lib/failure.ts'
import type { Db } from '../../../store/schema/schema.ts'
import type { Store } from '../../../store/store.ts'
import type { AppItself } from '../../access/app-access.ts'
import { demandGrant, demandTokenKind } from '../../access/required-grant.ts'
import { demandSignOn } from '../../access/sign-on.ts'
import type { ActivityRecord } from '../../activity/activity.ts'
import { invalidField, notFound } from '../../failures.ts'
import type { People } from '../../people/people.ts'
import type { Person } from '../../person.ts'
import { countRows } from '../../row-pages.ts'
import { type App, type Permissions, readApps } from '../app.ts'
import { listPermissions } from '../app-audit.ts'
import { demandMayGrant } from '../grantable-rights.ts'
import { findExcess, ofInstallation } from '../permissions.ts'
import type { AppRegistration } from '../registration/app-registration.ts'
import { type Installation, type InstallationRow, listChosen } from './installation.ts'
import type { InstallationLookup } from './installation-lookup.ts'
import { makeInstallationNotes } from './installation-notes.ts'

/** Acts of the account's owner on an installation require this proof. Only `own` below makes one. */
class Ownership {
  readonly #actor: SignedIn
  readonly installation: Installation
  constructor(actor: SignedIn, installation: Installation) {
    this.#actor = actor
    this.installation = installation
  }
  get actor(): SignedIn {
    return this.#actor
  }
}
export type InstallationOwnership = Ownership

export type Choice = 'all' | { readonly names: readonly string[] } | { readonly ids: readonly number[] }

/** The most accounts of one app: each request of a token that acts for a user reads all of the app's installations. */
const maxInstallations = 1_000
const maxChosen = 1_000

type Needs = {
  store: Store
  clock: Clock
  people: People
  registration: AppRegistration
  lookup: InstallationLookup
  activity: ActivityRecord
}

export type Installations = ReturnType<typeof makeInstallations>

export function makeInstallations({ store, clock, people, registration, lookup, activity }: Needs) {
  const { read } = lookup
  const note = makeInstallationNotes({ clock, activity })

  /** Demands an owner of the organisation, or the user, with a session or a classic token with the scope for it. */
  async function demandRuns(actor: Actor, account: Person): Promise<void> {
    if (!(await registration.mayRun(actor, { owner: account }))) throw notFound()
    const scopes = [account.kind === 'user' ? 'user' : 'admin:org']
    const need = { tokens: ['classic'], scopes, permissions: [] } as const
    demandTokenKind(actor, need)
    demandGrant(actor, need)
    // An app's tokens pass single sign-on, so the installing user must have passed it.
    demandSignOn(actor, account.id)
  }

  /** A private app can be installed only by its owner, on the owner's account. */
  function demandInstallable({ isPublic, owner, kind }: App, account: Person): void {
    if (kind !== 'app' || (!isPublic && owner.id !== account.id)) throw notFound()
  }

  async function resolveChoice(trx: Db, account: Person, choice: Exclude<Choice, 'all'>): Promise<number[]> {
    const wanted =
      'ids' in choice ? new Set<string | number>(choice.ids) : new Set(choice.names.map(toNameKey(account)))
    if (wanted.size > maxChosen)
      throw invalidField('repositories', 'invalid', `An installation chooses ${maxChosen} repositories at most.`)
    if (wanted.size === 0) return []
    const rows = await trx
      .selectFrom('repository')
      .select('id')
      .where('owner_id', '=', account.id)
      .where((eb) =>
        'ids' in choice ? eb('id', 'in', [...choice.ids]) : eb('name_key', 'in', [...wanted] as string[]),
      )
      .execute()
    if (rows.length < wanted.size)
      throw invalidField('repositories', 'missing', 'One of these is not a repository of the account.')
    return rows.map(({ id }) => id)
  }

  async function choose(trx: Db, id: number, account: Person, choice: Choice): Promise<void> {
    await trx.deleteFrom('app_installation_repository').where('installation_id', '=', id).execute()
    if (choice === 'all') return
    const chosen = await resolveChoice(trx, account, choice)
    const now = clock.now()
    if (chosen.length > 0)
      await trx
        .insertInto('app_installation_repository')
        .values(chosen.map((repository_id) => ({ installation_id: id, repository_id, created_at: now })))
        .execute()
  }

  async function demandSpace(trx: Db, appId: number): Promise<void> {
    const count = await countRows(trx.selectFrom('app_installation').where('app_id', '=', appId))
    demand(count < maxInstallations, 'limited', 'quota', `An app is installed on ${maxInstallations} accounts at most.`)
  }

  /** `ownerId`: the owner who acts, or null for the app itself. The app cannot undo an owner's suspension. */
  async function setSuspended(by: Actor, installation: Installation, isSuspended: boolean, ownerId: number | null) {
    const now = clock.now()
    await writeHeard(async (trx) => {
      const { numUpdatedRows } = await trx
        .updateTable('app_installation')
        .set({
          suspended_at: isSuspended ? now : null,
          suspended_by_id: isSuspended ? ownerId : null,
          updated_at: now,
        })
        .where('id', '=', installation.id)
        .$if(ownerId === null, (query) => query.where('suspended_by_id', 'is', null))
        .executeTakeFirstOrThrow()
      if (numUpdatedRows > 0n)
        await note(trx, by, isSuspended ? 'suspend' : 'unsuspend', await read(installation.id, trx))
    })
  }

  /** Settles pending activity first, so that the app receives it by the rights of before the change. */
  async function writeHeard<T>(change: (trx: Db) => Promise<T>): Promise<T> {
    await activity.waitUntilHooksDispatched()
    return store.write(change)
  }

  const touch = (trx: Db, id: number, change: Partial<InstallationRow> = {}) =>
    trx
      .updateTable('app_installation')
      .set({ ...change, updated_at: clock.now() })
      .where('id', '=', id)
      .execute()

  const remove = (by: Actor, installation: Installation) =>
    store.write(async (trx) => {
      const query = trx.deleteFrom('app_installation').where('id', '=', installation.id)
      const { numDeletedRows } = await query.executeTakeFirstOrThrow()
      if (numDeletedRows > 0n) await note(trx, by, 'destroy', installation)
    })

  return {
    ...lookup,

    /** `shown`: the requested permissions that the owner was shown, if any; the app must request exactly these. */
    async install(
      actor: Actor,
      slug: string,
      login: string,
      choice: Choice,
      shown?: Permissions,
    ): Promise<Installation> {
      const account = await people.get(login)
      if (account.kind === 'bot') throw notFound()
      await demandRuns(actor, account)
      const app = await registration.find(slug)
      if (!app) throw notFound()
      demandInstallable(app, account)
      const now = clock.now()
      return store.write(
        async (trx) => {
          const asked = (await readApps(trx, [app.id])).get(app.id)
          if (!asked) throw notFound()
          if (shown) demandShown(asked, shown)
          demandMayGrant(actor, ofInstallation(asked.permissions))
          const known = await trx
            .selectFrom('app_installation')
            .select('id')
            .where('app_id', '=', app.id)
            .where('account_id', '=', account.id)
            .executeTakeFirst()
          if (known) throw new Failure('invalid', 'already-installed', 'The app is installed there already.')
          await demandSpace(trx, app.id)
          const { id } = await trx
            .insertInto('app_installation')
            .values({
              app_id: app.id,
              account_id: account.id,
              permissions: JSON.stringify(asked.permissions),
              events: JSON.stringify(asked.events),
              selection: choice === 'all' ? 'all' : 'selected',
              suspended_at: null,
              suspended_by_id: null,
              created_at: now,
              updated_at: now,
            })
            .returning('id')
            .executeTakeFirstOrThrow()
          await choose(trx, id, account, choice)
          const made = await read(id, trx)
          await note(trx, actor, 'create', made, describeReach(made))
          return made
        },
        { locks: [`installations:${app.id}`] },
      )
    },

    async own(actor: Actor, id: number): Promise<InstallationOwnership> {
      const installation = await read(id)
      await demandRuns(actor, installation.account)
      return new Ownership(actor as SignedIn, installation)
    },

    async setRepositories({ actor, installation }: InstallationOwnership, choice: Choice): Promise<Installation> {
      const { id, account } = installation
      demandMayGrant(actor, ofInstallation(installation.permissions))
      return writeHeard(async (trx) => {
        const before = await listChosen(trx, id)
        await choose(trx, id, account, choice)
        await touch(trx, id, { selection: choice === 'all' ? 'all' : 'selected' })
        const changed = await read(id, trx)
        const after = await listChosen(trx, id)
        await note(trx, actor, 'repositories_changed', changed, describeReach(changed), {
          added: after.filter((each) => !before.includes(each)),
          removed: before.filter((each) => !after.includes(each)),
        })
        return changed
      })
    },

    async addRepository({ actor, installation }: InstallationOwnership, repositoryId: number): Promise<void> {
      const { id, account } = installation
      demandSelected(installation)
      demandMayGrant(actor, ofInstallation(installation.permissions))
      await writeHeard(async (trx) => {
        const [repository_id] = await resolveChoice(trx, account, { ids: [repositoryId] }).catch(() => {
          throw notFound()
        })
        await trx
          .insertInto('app_installation_repository')
          .values({ installation_id: id, repository_id: repository_id!, created_at: clock.now() })
          .onConflict((conflict) => conflict.doNothing())
          .execute()
        await touch(trx, id)
        const data = { repository_id: repositoryId }
        await note(trx, actor, 'repositories_added', installation, data, { added: [repositoryId], removed: [] })
      })
    },

    async removeRepository({ actor, installation }: InstallationOwnership, repositoryId: number): Promise<void> {
      demandSelected(installation)
      await store.write(async (trx) => {
        const { numDeletedRows } = await trx
          .deleteFrom('app_installation_repository')
          .where('installation_id', '=', installation.id)
          .where('repository_id', '=', repositoryId)
          .executeTakeFirstOrThrow()
        if (numDeletedRows === 0n) throw notFound()
        await touch(trx, installation.id)
        const data = { repository_id: repositoryId }
        await note(trx, actor, 'repositories_removed', installation, data, { added: [], removed: [repositoryId] })
      })
    },

    /** Grants the permissions that the owner was shown, if the app still requests exactly these. */
    async accept({ actor, installation }: InstallationOwnership, shown: Permissions): Promise<Installation> {
      const { id, app } = installation
      return writeHeard(async (trx) => {
        const asked = (await readApps(trx, [app.id])).get(app.id)
        if (!asked) throw notFound()
        demandShown(asked, shown)
        demandMayGrant(actor, ofInstallation(asked.permissions))
        await touch(trx, id, { permissions: JSON.stringify(asked.permissions), events: JSON.stringify(asked.events) })
        const accepted = await read(id, trx)
        await note(trx, actor, 'version_updated', accepted, describeReach(accepted))
        return accepted
      })
    },

    async suspendOwn({ actor, installation }: InstallationOwnership, isSuspended: boolean): Promise<void> {
      if (!isSuspended) demandMayGrant(actor, ofInstallation(installation.permissions))
      await setSuspended(actor, installation, isSuspended, actor.account.id)
    },
    removeOwn: ({ actor, installation }: InstallationOwnership) => remove(actor, installation),

    /** Acts of the app on its own installations. */
    async suspend(app: AppItself, id: number, isSuspended: boolean): Promise<void> {
      const found = await lookup.get(app, id)
      // An app that an owner has suspended cannot lift that, nor replace the owner as its author.
      demand(!found.suspendedBy, 'forbidden', 'suspended-by-owner', 'The installation was suspended by its owner.')
      await setSuspended(app.actor, found, isSuspended, null)
    },
    async remove(app: AppItself, id: number): Promise<void> {
      await remove(app.actor, await lookup.get(app, id))
    },
  }
}

/** The app may request more between display and answer: nobody grants what they have not seen. */
function demandShown({ permissions }: App, shown: Permissions): void {
  if (findExcess(permissions, shown) === undefined && findExcess(shown, permissions) === undefined) return
  throw invalidField('permissions', 'invalid', 'The app now asks for other permissions: review them again.')
}

const describeReach = ({ selection, permissions }: Installation) => ({
  repository_selection: selection,
  permissions: listPermissions(permissions),
})

const toNameKey =
  ({ login }: Person) =>
  (name: string): string => {
    const key = name.toLowerCase()
    const prefix = `${login.toLowerCase()}/`
    return key.startsWith(prefix) ? key.slice(prefix.length) : key
  }

function demandSelected({ selection }: Installation): void {
  demand(
    selection === 'selected',
    'invalid',
    'all-repositories',
    'The installation has all repositories of the account.',
  )
}
