/** Builds and connects the OAuth services. */
import type { Accounts } from '../../accounts/accounts.ts'
import type { SignedIn } from '../../accounts/actor.ts'
import type { Tokens } from '../../accounts/tokens.ts'
import type { Clock } from '../../lib/clock.ts'
import { Failure } from '../../lib/failure.ts'
import type { Store } from '../../store/store.ts'
import type { App } from '../apps/app.ts'
import type { InstallationTokens } from '../apps/installations/installation-tokens.ts'
import type { Installations } from '../apps/installations/installations.ts'
import { isClientId } from '../apps/registration/app-draft.ts'
import type { AppRegistration } from '../apps/registration/app-registration.ts'
import { makeAuthorizationCodes } from './authorization-codes.ts'
import { makeClientTokens } from './client-tokens.ts'
import { makeDeviceCodes } from './device-codes.ts'
import { makeGrants } from './grants.ts'
import { makeUserTokens } from './user-tokens.ts'

type Needs = {
  store: Store
  clock: Clock
  accounts: Accounts
  tokens: Tokens
  registration: AppRegistration
  installations: Installations
  installationTokens: InstallationTokens
}

const dayMs = 24 * 60 * 60 * 1000
/** Kept after their end so that a second use is noticed: codes for a day, used refresh tokens for a month. */
const codesKeptMs = dayMs
const devicesKeptMs = 60 * 60 * 1000
const refreshesKeptMs = 30 * dayMs

export type OAuth = ReturnType<typeof makeOAuthServices>

export function makeOAuthServices(needs: Needs) {
  const { store, clock, registration } = needs
  const grants = makeGrants(needs)
  const userTokens = makeUserTokens({ ...needs, grants })

  return {
    grants,
    userTokens,
    codes: makeAuthorizationCodes({ store, clock, grants, userTokens }),
    devices: makeDeviceCodes({ store, clock, registration, grants, userTokens }),
    clientTokens: makeClientTokens({ ...needs, grants }),

    /** The app with this client id; undefined if its owner is suspended. */
    async findClient(clientId: string): Promise<App | undefined> {
      const app = isClientId(clientId) ? await registration.findByClientId(clientId) : undefined
      return app?.isOwnerSuspended ? undefined : app
    },

    /** A private app can be authorized only by those who own it. */
    async demandAuthorizable(actor: SignedIn, app: App): Promise<void> {
      if (app.isPublic || (await registration.isNear(actor, app))) return
      throw new Failure('not-found', 'not-found', 'There is no such app.')
    },

    async prune(): Promise<void> {
      const now = clock.now()
      await store.write(async (trx) => {
        await trx
          .deleteFrom('app_code')
          .where('expires_at', '<', now - codesKeptMs)
          .execute()
        await trx
          .deleteFrom('app_device_code')
          .where('expires_at', '<', now - devicesKeptMs)
          .execute()
        await trx
          .deleteFrom('app_used_refresh')
          .where('used_at', '<', now - refreshesKeptMs)
          .execute()
      })
    },
  }
}
