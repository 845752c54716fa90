/** The owners that a fine-grained token may be limited to: the user, or an organisation that the user belongs to. */
import type { Account } from '../../accounts/actor.ts'
import type { TokenOwners } from '../../accounts/tokens.ts'
import { Failure } from '../../lib/failure.ts'
import type { Db } from '../../store/schema/schema.ts'
import { selectRepositories, toOpenRepository } from './repository.ts'

type Owner = { readonly id: number; readonly name: string }

/**
 * Authorises a token for an organisation, whose identity provider must have confirmed the person if it requires that.
 */
export type AdmitToken = TokenOwners['admit']

export function makeTokenOwners({ admit }: { admit: AdmitToken }): TokenOwners {
  return {
    async find(trx, account, { resourceOwner, repositories }) {
      const owner = await findOwner(trx, account, resourceOwner)
      if (typeof repositories === 'object') await demandOwned(trx, account, owner, repositories)
      return owner
    },

    async admit(trx, by, token, owner) {
      if (owner.id !== token.accountId) await admit(trx, by, token, owner)
    },
  }
}

async function findOwner(trx: Db, account: Account, login: string | undefined): Promise<Owner> {
  const key = login?.toLowerCase()
  if (key === undefined || key === account.name.toLowerCase()) return { id: account.id, name: account.name }
  const organisation = await trx
    .selectFrom('account')
    .innerJoin('organisation_member', 'organisation_member.organisation_id', 'account.id')
    .select(['account.id', 'account.name'])
    .where('account.name_key', '=', key)
    .where('organisation_member.user_id', '=', account.id)
    .where('organisation_member.state', '=', 'active')
    .executeTakeFirst()
  if (organisation) return organisation
  throw new Failure(
    'invalid',
    'resource-owner',
    `${login} is neither ${account.name} nor an organization that ${account.name} is a member of.`,
  )
}

/** Repositories of others and missing ones are reported alike. */
async function demandOwned(trx: Db, account: Account, owner: Owner, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  const rows = await selectRepositories(trx, account.id)
    .where('repository.id', 'in', [...ids])
    .where('repository.owner_id', '=', owner.id)
    .execute()
  const viewer = { id: account.id, isSiteAdmin: false }
  const seen = new Set(rows.filter((row) => toOpenRepository(row, viewer).level !== 'none').map(({ id }) => id))
  const foreign = ids.find((id) => !seen.has(id))
  if (foreign === undefined) return
  throw new Failure(
    'invalid',
    'repository-of-others',
    `The repository with the id ${foreign} is none of ${owner.name}: a token has one resource owner, and opens repositories of that one.`,
  )
}
