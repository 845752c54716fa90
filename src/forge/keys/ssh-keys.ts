/** SSH keys of users and deploy keys of repositories. Each key has its own token, which holds its rights. */
import { createHash } from 'node:crypto'
import type { Accounts } from '../../accounts/accounts.ts'
import type { Account, SignedIn } from '../../accounts/actor.ts'
import { demandWithin } from '../../accounts/quotas.ts'
import type { FoundToken } from '../../accounts/token-rows.ts'
import type { TokenDraft, Tokens } from '../../accounts/tokens.ts'
import type { Clock } from '../../lib/clock.ts'
import { generateSecret } from '../../lib/ids.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import { makeMemo } from '../../store/memo.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { auditRepository } from '../access/audit-place.ts'
import type { Access } from '../access/opening.ts'
import type { Repository } from '../access/repository.ts'
import type { SelfAccess } from '../access/self-access.ts'
import { invalidField, notFound } from '../failures.ts'
import { countRows, readPage } from '../row-pages.ts'
import { recordKeyAudit } from './key-audit.ts'
import { type PublicKey, parsePublicKey } from './public-key.ts'
import { type KeyRow, type SshKey, selectKeys, toKey } from './ssh-key-row.ts'

export type SshKeyDraft = { readonly key: string; readonly title?: string | undefined; readonly isReadOnly?: boolean }

/** The owner of a key: a user, or a repository with the user who added the key. */
export type KeyHolder = FoundToken & { readonly keyId: number; readonly repository: string | undefined }

type KeyPlace = { id: number; owner_id: number | null; name: string | null; owner_name: string | null }

const keyTables = ['ssh_key', 'repository', 'account', 'organisation_block'] as const
const mostRemembered = 10_000
/** Keys of a user, and of a repository. */
export const mostKeys = 100
/** The life of a token for Git LFS that a key was exchanged for, and how many of them a key has; older ones end. */
const lfsMs = 60 * 60 * 1000
const mostExchanged = 50

type Needs = { store: Store; clock: Clock; tokens: Tokens; accounts: Accounts }

export type SshKeys = ReturnType<typeof makeSshKeys>

export function makeSshKeys({ store, clock, tokens, accounts }: Needs) {
  const { db } = store
  const remember = makeMemo<KeyPlace>(store, keyTables, mostRemembered)

  const select = (on: Db = db) => selectKeys(on)

  const ofUser = (user: { readonly id: number }) =>
    select().where('ssh_key.account_id', '=', user.id).where('ssh_key.repository_id', 'is', null)
  const ofRepository = ({ id }: Pick<Repository, 'id'>) => select().where('ssh_key.repository_id', '=', id)

  async function insert(
    trx: Db,
    account: Pick<Account, 'id'>,
    key: PublicKey,
    draft: SshKeyDraft,
    repositoryId: number | null,
  ): Promise<number> {
    const own = trx.selectFrom('ssh_key')
    const those =
      repositoryId === null
        ? own.where('account_id', '=', account.id).where('repository_id', 'is', null)
        : own.where('repository_id', '=', repositoryId)
    demandWithin(await countRows(those.select('id')), mostKeys, 'SSH keys')
    const row = await trx
      .insertInto('ssh_key')
      .values({
        fingerprint: key.fingerprint,
        key_text: key.text,
        title: draft.title?.trim() || nameOf(draft.key, key),
        account_id: account.id,
        repository_id: repositoryId,
        is_read_only: draft.isReadOnly ? 1 : 0,
        created_at: clock.now(),
      })
      .onConflict((conflict) => conflict.column('fingerprint').doNothing())
      .returning('id')
      .executeTakeFirst()
    if (!row) throw invalidField('key', 'custom', 'key is already in use')
    return row.id
  }

  const note = (trx: Db, actor: SignedIn, act: 'create' | 'delete', row: KeyRow, repository?: Repository) =>
    recordKeyAudit(
      trx,
      clock.now(),
      actor,
      act,
      row,
      repository ? auditRepository(repository) : { user: actor.account },
    )

  const lockOf = (account: number, repository: number | null) =>
    repository === null ? `ssh-keys:user:${account}` : `ssh-keys:repository:${repository}`

  async function add(
    actor: SignedIn,
    draft: SshKeyDraft,
    holder: Account,
    token: TokenDraft,
    repository?: Repository,
  ): Promise<SshKey> {
    const key = parsePublicKey(draft.key)
    const repositoryId = repository?.id ?? null
    return store.write(
      async (trx) => {
        const id = await insert(trx, actor.account, key, draft, repositoryId)
        const row = await select(trx).where('ssh_key.id', '=', id).executeTakeFirstOrThrow()
        await tokens.make(holder, { ...token, text: generateSecret(), note: row.title, keyId: id }, trx, actor)
        await note(trx, actor, 'create', row, repository)
        return toKey(row)
      },
      { locks: [lockOf(actor.account.id, repositoryId)] },
    )
  }

  async function remove(actor: SignedIn, found: KeyRow | undefined, repository?: Repository): Promise<void> {
    if (!found) throw notFound()
    await store.write(async (trx) => {
      const { numDeletedRows } = await trx.deleteFrom('ssh_key').where('id', '=', found.id).executeTakeFirstOrThrow()
      if (numDeletedRows > 0n) await note(trx, actor, 'delete', found, repository)
    })
  }

  const one = async (query: ReturnType<typeof select>, id: number): Promise<SshKey> => {
    const row = await query.where('ssh_key.id', '=', id).executeTakeFirst()
    if (!row) throw notFound()
    return toKey(row)
  }

  return {
    list: (user: { readonly id: number }, page: PageRequest): Promise<Page<SshKey>> =>
      readPage(ofUser(user).orderBy('ssh_key.id'), page, toKey),

    get: (user: { readonly id: number }, id: number): Promise<SshKey> => one(ofUser(user), id),

    /** Over SSH, git gets the rights of a token with the scope `repo` over HTTP. */
    add: ({ actor }: SelfAccess, draft: SshKeyDraft): Promise<SshKey> =>
      add(actor, { ...draft, isReadOnly: false }, actor.account, { kind: 'ssh-key', scopes: ['repo'] }),

    async remove({ actor }: SelfAccess, id: number): Promise<void> {
      await remove(actor, await ofUser(actor.account).where('ssh_key.id', '=', id).executeTakeFirst())
    },

    listOf: ({ repository }: Access<'admin', 'look'>, page: PageRequest): Promise<Page<SshKey>> =>
      readPage(ofRepository(repository).orderBy('ssh_key.id'), page, toKey),

    getOf: ({ repository }: Access<'admin', 'look'>, id: number): Promise<SshKey> => one(ofRepository(repository), id),

    /** A deploy key reaches this repository alone, with its owner's rights; its acts are by the user who adds it. */
    async addTo({ actor, repository }: Access<'admin'>, draft: SshKeyDraft): Promise<SshKey> {
      const holder = await accounts.findById(repository.owner.id)
      if (!holder) throw notFound()
      const level = draft.isReadOnly ? 'read' : 'write'
      const token: TokenDraft = {
        ...{ kind: 'deploy-key', permissions: { contents: level }, repositories: [repository.id] },
        ...(holder.id !== actor.account.id && { actorId: actor.account.id }),
      }
      return add(actor, draft, holder, token, repository)
    },

    async removeFrom({ actor, repository }: Access<'admin'>, id: number): Promise<void> {
      const found = await ofRepository(repository).where('ssh_key.id', '=', id).executeTakeFirst()
      await remove(actor, found, repository)
    },

    /** Finds a key's holder. `sender` as in the lock-out of credentials; `isProved`: the client has proved to hold the key. */
    async find(fingerprint: string, sender: string, isProved: boolean): Promise<KeyHolder | undefined> {
      const row = await remember(fingerprint, () =>
        db
          .selectFrom('ssh_key')
          .leftJoin('repository', 'repository.id', 'ssh_key.repository_id')
          .leftJoin('account as owner', 'owner.id', 'repository.owner_id')
          // A block ends the deploy keys of the blocked; a transfer may bring others to an owner who blocks their adder.
          .leftJoin('organisation_block as block', (join) =>
            join
              .onRef('block.organisation_id', '=', 'repository.owner_id')
              .onRef('block.user_id', '=', 'ssh_key.account_id'),
          )
          .select(['ssh_key.id', 'repository.owner_id', 'repository.name', 'owner.name as owner_name'])
          .where('fingerprint', '=', fingerprint)
          .where('block.user_id', 'is', null)
          .executeTakeFirst(),
      )
      const found = row && (await tokens.findByKey(row.id, sender, isProved))
      if (!found) return undefined
      if (row.owner_id === null) return { ...found, keyId: row.id, repository: undefined }
      // A transferred repository keeps its keys: use the present owner.
      const token = { ...found.token, accountId: row.owner_id }
      return { ...found, token, keyId: row.id, repository: `${row.owner_name}/${row.name}` }
    },

    /** Makes a token for Git LFS in one repository. It lasts an hour, and ends with the key. */
    async exchange(
      { account, token, keyId }: KeyHolder,
      repository: Pick<Repository, 'id'>,
      level: 'read' | 'write',
    ): Promise<{ text: string; expiresAt: Date }> {
      const holder = token.accountId === account.id ? account : await accounts.findById(token.accountId)
      if (!holder) throw notFound()
      const expiresAt = new Date(clock.now() + lfsMs)
      const draft: TokenDraft = {
        ...{ kind: 'lfs', permissions: { contents: level }, repositories: [repository.id], expiresAt, keyId },
        ...(holder.id !== account.id && { actorId: account.id }),
      }
      return store.write(async (trx) => {
        const { text } = await tokens.make(holder, draft, trx)
        await tokens.endOldestOfKey(trx, keyId, mostExchanged)
        return { text, expiresAt }
      })
    },
  }
}

/** The line's comment; else the key's fingerprint, as the public platform names untitled keys. */
export const nameOf = (line: string, { bytes }: PublicKey): string => {
  const comment = line
    .trim()
    .split(/[ \t]+/)
    .slice(2)
    .join(' ')
    .slice(0, 200)
  return (
    comment ||
    createHash('md5')
      .update(bytes)
      .digest('hex')
      .replace(/(..)(?!$)/g, '$1:')
  )
}
