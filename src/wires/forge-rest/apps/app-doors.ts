/** Doors for apps: the app itself, by its own JSON web token; its installation, by that one's token; its owners. */
import { AppClient, AppItself } from '../../../forge/access/app-access.ts'
import { InstallationToken } from '../../../forge/access/installation-access.ts'
import type { InstallationOwnership } from '../../../forge/apps/installations.ts'
import type { AppOwnership } from '../../../forge/apps/registration.ts'
import { type Door, signedIn } from '../doors.ts'
import { readId } from '../query.ts'

export const appItself: Door<AppItself> = {
  kind: 'app',
  signIn: true,
  tokens: [],
  scopes: [],
  opener: () => (_forge, actor) => AppItself.demand(actor),
}

/** An app by its client id and secret, about the tokens that it was given. */
export const appClient: Door<AppClient> = {
  kind: 'client',
  signIn: true,
  tokens: [],
  scopes: [],
  opener: () => (_forge, actor, params) => AppClient.demand(actor, params.client_id ?? ''),
}

export const installationItself: Door<InstallationToken> = {
  kind: 'installation',
  signIn: true,
  tokens: ['installation'],
  scopes: [],
  opener: (need) => (_forge, actor) => InstallationToken.demand(actor, need),
}

/** Apps make no apps, and tokens that were given to one do not run another: this is for people. */
const ofOwners = { kind: 'owner', signIn: true, tokens: ['classic'], scopes: ['user', 'admin:org'] } as const

export const ownedApp: Door<AppOwnership> = {
  ...ofOwners,
  opener: (need) => {
    const ask = signedIn.opener(need)
    return async (forge, actor, params) => {
      await ask(forge, actor, params)
      return forge.apps.own(actor, { slug: params.app_slug ?? '' })
    }
  },
}

export const ownedOAuthApp: Door<AppOwnership> = {
  ...ofOwners,
  opener: (need) => {
    const ask = signedIn.opener(need)
    return async (forge, actor, params) => {
      await ask(forge, actor, params)
      return forge.apps.own(actor, { clientId: params.client_id ?? '' })
    }
  },
}

export const ownedInstallation: Door<InstallationOwnership> = {
  ...ofOwners,
  opener: (need) => {
    const ask = signedIn.opener(need)
    return async (forge, actor, params) => {
      await ask(forge, actor, params)
      return forge.installations.own(actor, readId(params.installation_id))
    }
  },
}
