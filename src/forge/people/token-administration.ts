/** Token administration: admins make tokens for other accounts, revoke them, and lift bans. */
import type { Accounts } from '../../accounts/accounts.ts'
import type { Actor } from '../../accounts/actor.ts'
import type { Token } from '../../accounts/tokens/token.ts'
import type { TokenDraft, Tokens } from '../../accounts/tokens.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Store } from '../../store/store.ts'
import type { Opening } from '../access/opening.ts'
import type { SiteAdmin } from '../access/site-admin.ts'
import { invalidField, notFound } from '../failures.ts'

export type DeskDraft = Omit<TokenDraft, 'text' | 'repositories'> & {
  /** `all`, `none`, or full names of repositories. */
  readonly repositories?: 'all' | 'none' | readonly string[]
}

/** Kinds that programs request repeatedly live an hour by default. */
const shortLived: ReadonlySet<string> = new Set(['installation', 'workflow'])
const hourMs = 60 * 60 * 1000

type Needs = { store: Store; clock: Clock; accounts: Accounts; tokens: Tokens; opening: Opening }

export type TokenAdministration = ReturnType<typeof makeTokenAdministration>

export function makeTokenAdministration({ store, clock, accounts, tokens, opening }: Needs) {
  async function findRepositories(actor: Actor, names: readonly string[]): Promise<number[]> {
    const ids = new Set<number>()
    for (const fullName of names) {
      const [owner = '', name = ''] = fullName.split('/')
      const repository = await opening.find(actor, { owner, name })
      if (!repository) throw invalidField('repositories', 'missing', `There is no repository ${fullName}.`)
      ids.add(repository.id)
    }
    return [...ids]
  }

  const setBan = (id: number, bannedAt: number | null) =>
    store.write((trx) =>
      trx.updateTable('token').set({ banned_at: bannedAt }).where('id', '=', id).executeTakeFirstOrThrow(),
    )

  return {
    async make({ actor }: SiteAdmin, login: string, draft: DeskDraft): Promise<{ token: Token; text: string }> {
      const account = await accounts.findByName(login)
      // An app is installed on a user or an organisation; every other token is a user's.
      if (!account || (account.kind !== 'user' && draft.kind !== 'installation')) throw notFound()
      const { repositories, ...rest } = draft
      const selected =
        typeof repositories === 'object' ? await findRepositories(actor, repositories) : (repositories ?? 'none')
      if (rest.resourceOwner !== undefined && draft.kind !== 'fine-grained' && draft.kind !== 'app-user')
        throw invalidField('resource_owner', 'invalid', `A token of the kind ${draft.kind} has no resource owner.`)
      const isOne = Array.isArray(selected) && selected.length === 1
      if (draft.kind === 'workflow' && !isOne)
        throw invalidField('repositories', 'invalid', 'A workflow token opens one repository: name it.')
      if (rest.expiresAt && rest.expiresAt.getTime() <= clock.now())
        throw invalidField(
          'expires_at',
          'invalid',
          'The token would have expired already: choose a time in the future.',
        )
      const ending = shortLived.has(draft.kind) ? { expiresAt: new Date(clock.now() + hourMs) } : {}
      return tokens.make(account, { ...ending, ...rest, repositories: selected }, undefined, actor)
    },

    async revoke({ actor }: SiteAdmin, id: number): Promise<void> {
      await tokens.revoke(id, actor)
    },

    /** For a token that keeps sending requests while it is limited. */
    async ban(id: number): Promise<void> {
      await setBan(id, clock.now())
    },

    async liftBan(_admin: SiteAdmin, id: number): Promise<void> {
      const { numUpdatedRows } = await setBan(id, null)
      if (numUpdatedRows === 0n) throw notFound()
    },
  }
}
