/** The rights of a fetch: those of whoever set it up, checked anew as it goes on. */
import type { Accounts } from '../../accounts/accounts.ts'
import { type Account, actingFor } from '../../accounts/actor.ts'
import { Failure } from '../../lib/failure.ts'
import type { Access, Opening, RepositoryNeed } from '../access/opening.ts'
import { personalTokenKinds } from '../access/required-grant.ts'
import { refuseSource } from './refusal.ts'
import type { SourceRow } from './repository-source.ts'

const administering: RepositoryNeed<'admin'> = {
  tokens: personalTokenKinds,
  scopes: ['repo'],
  permissions: [{ name: 'administration', level: 'write' }],
  level: 'admin',
  signIn: true,
  writes: true,
}

type Needs = { accounts: Accounts; opening: Opening }

export type SourceRights = ReturnType<typeof makeSourceRights>

export function makeSourceRights({ accounts, opening }: Needs) {
  return {
    /** Throws if the fetch must not go on, with the reason. */
    async enter(
      row: Pick<SourceRow, 'repository_id' | 'requester_id'>,
    ): Promise<{ requester: Account; access: Access<'admin'> }> {
      const requester = await accounts.findById(row.requester_id)
      if (!requester) throw refuseSource('The account that set this up is gone: set it up again.')
      if (requester.isSuspended)
        throw refuseSource(
          `${requester.name}, who set this up, is suspended: another admin of the repository can take over.`,
        )
      try {
        const access = await opening.enter(actingFor(requester), { id: row.repository_id }, administering)
        const owner = await accounts.findById(access.repository.owner.id)
        if (owner?.isSuspended)
          throw refuseSource(`${owner.name}, the owner of the repository, is suspended: nothing is fetched meanwhile.`)
        return { requester, access }
      } catch (error) {
        throw explain(error, requester.name)
      }
    },
  }
}

function explain(error: unknown, name: string): unknown {
  if (!(error instanceof Failure) || error.kind === 'unavailable') return error
  if (error.code === 'repository-archived') return refuseSource('The repository is archived: unarchive it to go on.')
  if (error.code === 'repository-locked')
    return refuseSource('The repository is locked for a migration: unlock it to go on.')
  if (error.code === 'level-missing' || error.code === 'not-found' || error.code === 'blocked')
    return refuseSource(
      `${name}, who set this up, is no admin of the repository any more: another admin can take over.`,
    )
  return error
}
