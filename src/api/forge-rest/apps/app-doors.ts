/** Doors for apps: the app itself, by its JSON web token; its installation, by the installation's token; its owners. */
import { AppClient, AppItself } from '../../../forge/access/app-access.ts'
import { InstallationToken } from '../../../forge/access/installation-access.ts'
import type { InstallationOwnership } from '../../../forge/apps/installations/installations.ts'
import type { AppHandingOwnership, AppOwnership } from '../../../forge/apps/registration/app-registration.ts'
import type { Params } from '../address.ts'
import { type Door, type Open, signedIn } from '../doors.ts'
import { readId } from '../query.ts'

export const appItself: Door<AppItself> = {
  kind: 'app',
  signIn: true,
  tokens: [],
  scopes: [],
  opener: () => (_services, actor) => AppItself.demand(actor),
}

/** An app by its client id and secret, for the tokens issued to it. */
export const appClient: Door<AppClient> = {
  kind: 'client',
  signIn: true,
  tokens: [],
  scopes: [],
  opener: () => (_services, actor, params) => AppClient.demand(actor, params.client_id ?? ''),
}

export const installationItself: Door<InstallationToken> = {
  kind: 'installation',
  signIn: true,
  tokens: ['installation'],
  scopes: [],
  opener: (need) => (_services, actor) => InstallationToken.demand(actor, need),
}

/** Only people own apps: apps can't create apps, and a token issued to one can't manage another. */
const ofOwners = { kind: 'owner', signIn: true, tokens: ['classic'], scopes: ['user', 'admin:org'] } as const

const ofOwner = <T>(own: Open<T>): Door<T> => ({
  ...ofOwners,
  opener: (need) => {
    const ask = signedIn.opener(need)
    return async (services, actor, params) => {
      await ask(services, actor, params)
      return own(services, actor, params)
    }
  },
})

const slugOf = ({ app_slug: slug = '' }: Params) => ({ slug })
const clientOf = ({ client_id: clientId = '' }: Params) => ({ clientId })

export const ownedApp: Door<AppOwnership> = ofOwner((services, actor, params) =>
  services.apps.own(actor, slugOf(params)),
)

/** For changes that hand the app's rights to somebody else: a key, a secret, another address. */
export const handedApp: Door<AppHandingOwnership> = ofOwner((services, actor, params) =>
  services.apps.ownToHandOn(actor, slugOf(params)),
)

export const ownedOAuthApp: Door<AppOwnership> = ofOwner((services, actor, params) =>
  services.apps.own(actor, clientOf(params)),
)

export const handedOAuthApp: Door<AppHandingOwnership> = ofOwner((services, actor, params) =>
  services.apps.ownToHandOn(actor, clientOf(params)),
)

export const ownedInstallation: Door<InstallationOwnership> = ofOwner((services, actor, params) =>
  services.installations.own(actor, readId(params.installation_id)),
)
