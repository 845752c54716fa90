/** Builds and connects the services of single sign-on. */
import type { Actor } from '../../accounts/actor.ts'
import type { Clock } from '../../lib/clock.ts'
import { Failure } from '../../lib/failure.ts'
import type { Log } from '../../lib/log.ts'
import type { Store } from '../../store/store.ts'
import { tokenOf } from '../access/required-grant.ts'
import type { ActivityRecord } from '../activity/activity.ts'
import type { Person } from '../person.ts'
import { makeAddress } from './addresses.ts'
import { makeAttempts } from './attempts.ts'
import { makeAuthorizations } from './authorizations.ts'
import { makeIdentities } from './identities.ts'
import { makeOpenIdConnect } from './openid-connect.ts'
import type { MayBePlain } from './provider.ts'
import { makeProviders } from './providers.ts'
import { makeSaml } from './saml.ts'

type Needs = {
  store: Store
  clock: Clock
  log: Log
  activity: ActivityRecord
  people: { get(login: string, kind: Person['kind']): Promise<Person> }
  mayBePlain: MayBePlain
}

export type SignOnServices = ReturnType<typeof makeSignOnServices>

export function makeSignOnServices({ store, clock, log, activity, people, mayBePlain }: Needs) {
  const providers = makeProviders({ store, clock, mayBePlain })
  const authorizations = makeAuthorizations({ store, clock, activity })
  const identities = makeIdentities({ store, clock, activity })
  const saml = makeSaml({ clock })
  const openId = makeOpenIdConnect({ mayBePlain })
  const findOrganisation = (login: string) => people.get(login, 'organisation')

  return {
    providers,
    authorizations,
    identities,
    attempts: makeAttempts({
      ...{ store, clock, log, providers, identities, authorizations, saml, openId, findOrganisation },
    }),

    /**
     * The path at which the user of a refused token authorizes it; undefined if the refusal had another reason, or if
     * nothing is required any more.
     */
    async makeAddress(actor: Actor, refusal: unknown): Promise<string | undefined> {
      const { signOnFor: organisationId } = refusal instanceof Failure ? refusal.detail : {}
      const token = tokenOf(actor)
      if (organisationId === undefined || !token) return undefined
      const found = await providers.find(organisationId)
      const organisation = await store.db
        .selectFrom('account')
        .select('name')
        .where('id', '=', organisationId)
        .executeTakeFirst()
      if (!found || !organisation) return undefined
      const request = makeAddress(found, token.id, clock.now())
      return `/orgs/${organisation.name}/sso?authorization_request=${request}`
    },
  }
}
