/** Installation tokens: valid for an hour, with all or fewer of the installation's permissions and repositories. */
import type { Accounts } from '../../../accounts/accounts.ts'
import type { Actor } from '../../../accounts/actor.ts'
import type { Tokens } from '../../../accounts/tokens.ts'
import type { Clock } from '../../../lib/clock.ts'
import { demand } from '../../../lib/failure.ts'
import type { Page, PageRequest } from '../../../lib/page.ts'
import type { Db } from '../../../store/schema/schema.ts'
import type { Store } from '../../../store/store.ts'
import type { AppItself } from '../../access/app-access.ts'
import type { InstallationToken } from '../../access/installation-access.ts'
import { type OpenRepository, selectRepositories, toOpenRepository, viewerOf } from '../../access/repository.ts'
import { invalidField, notFound } from '../../failures.ts'
import { type RepositoryWhere, visibleTo } from '../../repositories/repository-lists.ts'
import { readPage } from '../../row-pages.ts'
import type { Permissions } from '../app.ts'
import { findExcess, withMetadata } from '../permissions.ts'
import { type Installation, listChosen } from './installation.ts'
import type { Installations } from './installations.ts'

export type TokenRequest = {
  readonly names?: readonly string[]
  readonly ids?: readonly number[]
  readonly permissions?: Permissions
}

export type MintedToken = {
  readonly text: string
  readonly expiresAt: Date
  readonly permissions: Permissions
  readonly selection: 'all' | 'selected'
  /** The requested repositories. */
  readonly repositories: readonly OpenRepository[] | undefined
}

export const tokenLifetimeMs = 60 * 60 * 1000
const maxRepositories = 500

type Needs = { store: Store; clock: Clock; accounts: Accounts; tokens: Tokens; installations: Installations }

export type InstallationTokens = ReturnType<typeof makeInstallationTokens>

export function makeInstallationTokens({ store, clock, accounts, tokens, installations }: Needs) {
  const { db } = store

  const selectOf = (on: Db, { account, selection }: Installation, chosen: readonly number[], viewer: number) => {
    const all = selectRepositories(on, viewer).where('repository.owner_id', '=', account.id)
    if (selection === 'all') return all
    return chosen.length > 0 ? all.where('repository.id', 'in', [...chosen]) : all.where('repository.id', '=', 0)
  }

  /** All names and ids must be among the installation's own repositories. */
  async function find(installation: Installation, { names = [], ids = [] }: TokenRequest): Promise<OpenRepository[]> {
    if (names.length + ids.length > maxRepositories)
      throw invalidField('repositories', 'invalid', `A token names ${maxRepositories} repositories at most.`)
    const { account } = installation
    const chosen = installation.selection === 'all' ? [] : await listChosen(db, installation.id)
    const keys = names.map((name) => name.toLowerCase())
    const rows = await selectOf(db, installation, chosen, account.id)
      .where((eb) =>
        eb.or([
          ...(keys.length > 0 ? [eb('repository.name_key', 'in', keys)] : []),
          ...(ids.length > 0 ? [eb('repository.id', 'in', [...ids])] : []),
        ]),
      )
      .orderBy('repository.id')
      .execute()
    const isAllThere =
      keys.every((key) => rows.some((row) => row.name_key === key)) &&
      ids.every((id) => rows.some((row) => row.id === id))
    if (!isAllThere)
      throw invalidField(
        'repositories',
        'invalid',
        'One of these repositories does not exist, or the installation does not reach it.',
      )
    return rows.map((row) => toOpenRepository(row, { id: account.id, isSiteAdmin: false }))
  }

  function readPermissions(installation: Installation, asked: Permissions | undefined): Permissions {
    if (!asked) return installation.permissions
    const excess = findExcess(asked, installation.permissions)
    if (excess !== undefined)
      throw invalidField('permissions', 'invalid', `The installation was not given ${excess} at this level.`)
    return withMetadata(asked)
  }

  /** The repositories and permissions of a requested token. */
  async function narrow(installation: Installation, request: TokenRequest) {
    demand(!installation.suspendedAt, 'forbidden', 'installation-suspended', 'This installation has been suspended')
    const isNarrowed = request.names !== undefined || request.ids !== undefined
    const repositories = isNarrowed ? await find(installation, request) : undefined
    return { repositories, permissions: readPermissions(installation, request.permissions) }
  }

  return {
    narrow,

    async mint(app: AppItself, installationId: number, request: TokenRequest): Promise<MintedToken> {
      const installation = await installations.get(app, installationId)
      const { repositories, permissions } = await narrow(installation, request)
      const expiresAt = new Date(clock.now() + tokenLifetimeMs)
      const account = await accounts.findById(installation.account.id)
      if (!account || account.isSuspended) throw notFound()
      const { text } = await tokens.make(account, {
        kind: 'installation',
        permissions,
        repositories: repositories ? repositories.map(({ id }) => id) : 'all',
        expiresAt,
        actorId: installation.app.botId!,
        app: { id: app.id, installationId },
      })
      return {
        text,
        expiresAt,
        permissions,
        selection: repositories ? 'selected' : installation.selection,
        repositories,
      }
    },

    /** The repositories that the token covers. */
    async listReached({ actor, installationId, token }: InstallationToken, request: PageRequest) {
      const installation = await installations.read(installationId)
      const { repositories } = token
      const chosen = Array.isArray(repositories) ? repositories : []
      const reached: Installation = { ...installation, selection: repositories === 'all' ? 'all' : 'selected' }
      const viewer = viewerOf(actor)!
      const query = selectOf(db, reached, chosen, viewer.id).orderBy('repository.id')
      const page = await readPage(query, request, (row) => toOpenRepository(row, viewer))
      return { ...page, selection: reached.selection }
    },

    /** The repositories of an installation that a user may see. */
    async listFor(actor: Actor, installation: Installation, request: PageRequest): Promise<Page<OpenRepository>> {
      const chosen = installation.selection === 'all' ? [] : await listChosen(db, installation.id)
      const viewer = viewerOf(actor)!
      const where = visibleTo(actor)
      const query = selectOf(db, installation, chosen, viewer.id)
        .where((eb) => where(eb as unknown as Parameters<RepositoryWhere>[0]))
        .orderBy('repository.id')
      return readPage(query, request, (row) => toOpenRepository(row, viewer))
    },

    /** Ends the token that makes the request. */
    async revoke({ token }: InstallationToken): Promise<void> {
      await store.write((trx) => tokens.end(trx, { ids: [token.id] }))
    },
  }
}
