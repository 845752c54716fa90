/** Single sign-on of organisations: its parts, made once and tied. */
import type { Clock } from '../../base/clock.ts'
import type { Store } from '../../store/store.ts'
import type { ActivityRecord } from '../activity/activity.ts'
import { makeAddress } from './addresses.ts'
import { makeAuthorizations } from './authorizations.ts'
import { makeIdentities } from './identities.ts'
import type { MayBePlain } from './provider.ts'
import { makeProviders } from './providers.ts'

type Needs = { store: Store; clock: Clock; activity: ActivityRecord; mayBePlain: MayBePlain }

export type SignOnRoom = ReturnType<typeof makeSignOnRoom>

export function makeSignOnRoom({ store, clock, activity, mayBePlain }: Needs) {
  const providers = makeProviders({ store, clock, mayBePlain })

  return {
    providers,
    authorizations: makeAuthorizations({ store, clock, activity }),
    identities: makeIdentities({ store, clock, activity }),

    /** The path at which the person of this token authorises it; undefined where nothing is required any more. */
    async makeAddress(tokenId: number, organisationId: number): Promise<string | undefined> {
      const found = await providers.find(organisationId)
      const organisation = await store.db
        .selectFrom('account')
        .select('name')
        .where('id', '=', organisationId)
        .executeTakeFirst()
      if (!found || !organisation) return undefined
      const request = makeAddress(found, tokenId, clock.now())
      return `/orgs/${organisation.name}/sso?authorization_request=${request}`
    },
  }
}
