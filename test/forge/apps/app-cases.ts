/** For every route of apps a request that succeeds: ann owns the apps and where they are installed. */
import { demandAppHook } from '../../../src/forge/webhooks/app-hooks.ts'
import { makeRest, type RestClient } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import type { Case } from '../route-cases.ts'
import { doneDelivery } from '../webhooks/cases.ts'
import type { World } from '../world.ts'
import { asInstallation, installApp, type RegisteredApp, registerApp } from './app-world.ts'

let count = 0
const settings = () => ({ name: `Case app ${++count}`, url: 'https://case.example.org' })

/** One of each world: to make a key takes long. */
const shared = new WeakMap<World, Promise<RegisteredApp>>()
export function sharedApp(world: World): Promise<RegisteredApp> {
  const app = shared.get(world) ?? registerApp(world, world.ann, { default_permissions: { metadata: 'read' } })
  shared.set(world, app)
  return app
}

const appSlug: Case['fresh'] = async (world) => ({ app_slug: (await sharedApp(world)).body.slug })

/** Installed anew on an organisation of its own. */
const installed: NonNullable<Case['fresh']> = async (world) => {
  const app = await sharedApp(world)
  const org = `guild-${++count}`
  await world.root.post('/admin/organizations', { login: org, admin: 'ann' })
  const { body } = await world.ann.post(`/orgs/${org}/repos`, { name: 'one' })
  const installation = await installApp(app, world.ann, org, ['one'])
  return { installation_id: installation, repository_id: body.id, org, app_slug: app.body.slug }
}

/** On ann's own account, once for each world. */
const atHome = new WeakMap<World, Promise<number>>()
const installedAtHome: NonNullable<Case['fresh']> = async (world) => {
  const app = await sharedApp(world)
  const installation = atHome.get(world) ?? installApp(app, world.ann, 'ann')
  atHome.set(world, installation)
  return { installation_id: await installation, username: 'ann', owner: 'ann', repo: 'open' }
}

const installable: NonNullable<Case['fresh']> = async (world) => {
  const org = `guild-${++count}`
  await world.root.post('/admin/organizations', { login: org, admin: 'ann' })
  return { account: org, app_slug: (await sharedApp(world)).body.slug }
}

const suspended: NonNullable<Case['fresh']> = async (world, params) => {
  const made = await installed(world, params)
  await (await sharedApp(world)).asItself().put(`/app/installations/${made.installation_id}/suspended`)
  return made
}

const freshOf =
  (what: 'keys' | 'secrets', name: string): NonNullable<Case['fresh']> =>
  async (world) => {
    const { slug } = (await sharedApp(world)).body
    const { body } = await world.ann.post(`/apps/${slug}/${what}`)
    return { app_slug: slug, [name]: body.id }
  }

/** One of each world, with a callback. */
const sharedOAuth = new WeakMap<World, Promise<Json>>()
export function sharedOAuthApp(world: World): Promise<Json> {
  const app =
    sharedOAuth.get(world) ??
    world.ann
      .post('/user/oauth-apps', { ...settings(), callback_urls: ['https://case.example.org/back'] })
      .then(({ body }) => body)
  sharedOAuth.set(world, app)
  return app
}
const clientId: NonNullable<Case['fresh']> = async (world) => ({ client_id: (await sharedOAuthApp(world)).client_id })
const approved: NonNullable<Case['fresh']> = async (world, params) => {
  const { client_id } = await clientId(world, params)
  await world.ann.put(`/orgs/acme/approved-oauth-apps/${client_id}`)
  return { client_id: client_id! }
}

/** A token of the shared app for ann, as if she had authorised it. */
const clientToken: NonNullable<Case['fresh']> = async (world) => {
  const { client_id, id } = (await sharedApp(world)).body
  const { installation_id } = await installedAtHome(world, {})
  const grant = await grantTo(world, id)
  const { services } = world.server
  const account = (await services.accounts.findByName('ann'))!
  const draft = { kind: 'app-user', permissions: { metadata: 'read' }, repositories: 'all' } as const
  const { text } = await services.tokens.make(account, { ...draft, app: { id, grantId: grant, family: `f${++count}` } })
  return { client_id, access_token: text, installation_id: installation_id!, grant_id: grant }
}

async function grantTo({ server, ann }: World, appId: number): Promise<number> {
  const { id: userId } = (await ann.get('/user')).body
  return server.services.store.write(async (trx) => {
    const { id } = await trx
      .insertInto('app_grant')
      .values({ app_id: appId, user_id: userId, scopes: '[]', created_at: 1, updated_at: 1 })
      .onConflict((conflict) => conflict.columns(['app_id', 'user_id']).doUpdateSet({ updated_at: 1 }))
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  })
}

const ofToken: Case = { fresh: clientToken, body: (_world, { access_token = 'x' }) => ({ access_token }) }

const startedRun: NonNullable<Case['fresh']> = async ({ ann }, { repo }) => ({
  run_id: (await ann.post(`/repos/ann/${repo}/workflow-runs`, { name: 'build' })).body.id,
})

const appChange = { description: 'Better', hook_attributes: { url: 'https://case.example.org/hook', secret: 's' } }

/** A delivery of the shared app's hook, which is switched off. */
const appDelivery: NonNullable<Case['fresh']> = async (world) => {
  const { id, slug } = (await sharedApp(world)).body
  const { store } = world.server.services
  return store.write(async (trx) => {
    const hook = await demandAppHook(trx, id, Date.now())
    const added = await trx
      .insertInto('webhook_delivery')
      .values(doneDelivery(hook.id))
      .returning('id')
      .executeTakeFirstOrThrow()
    return { delivery_id: added.id, app_slug: slug }
  })
}

export const appCases: Record<string, Case> = {
  'update-a-webhook-configuration-for-an-app': { body: { secret: 's' } },
  'list-deliveries-for-an-app-webhook': { fresh: appDelivery },
  'get-a-delivery-for-an-app-webhook': { fresh: appDelivery },
  'redeliver-a-delivery-for-an-app-webhook': { fresh: appDelivery },
  'list-deliveries-of-the-webhook-of-an-app': { fresh: appDelivery },
  'get-a-delivery-of-the-webhook-of-an-app': { fresh: appDelivery },
  'redeliver-a-delivery-of-the-webhook-of-an-app': { fresh: appDelivery },
  'register-an-app': { body: settings },
  'register-an-app-of-an-organization': { body: settings },
  'put-down-a-manifest': { body: settings },
  'create-an-app-from-a-manifest': {
    fresh: async ({ ann }) => ({ code: (await ann.post('/user/app-manifests', settings())).body.code }),
  },
  'get-an-app': { fresh: appSlug },
  'update-an-app': { fresh: appSlug, body: appChange },
  'delete-an-app': {
    fresh: async (world) => ({ app_slug: (await registerApp(world, world.ann)).body.slug }),
  },
  'list-keys-of-an-app': { fresh: appSlug },
  'create-a-key-of-an-app': { fresh: appSlug },
  'delete-a-key-of-an-app': { fresh: freshOf('keys', 'key_id') },
  'list-client-secrets-of-an-app': { fresh: appSlug },
  'create-a-client-secret-of-an-app': { fresh: appSlug },
  'delete-a-client-secret-of-an-app': { fresh: freshOf('secrets', 'secret_id') },
  'register-an-oauth-app': { body: settings },
  'register-an-oauth-app-of-an-organization': { body: settings },
  'get-an-oauth-app': { fresh: clientId },
  'update-an-oauth-app': { fresh: clientId, body: { description: 'Better' } },
  'delete-an-oauth-app': {
    fresh: async ({ ann }) => ({ client_id: (await ann.post('/user/oauth-apps', settings())).body.client_id }),
  },
  'list-client-secrets-of-an-oauth-app': { fresh: clientId },
  'create-a-client-secret-of-an-oauth-app': {
    fresh: async ({ ann }) => ({ client_id: (await ann.post('/user/oauth-apps', settings())).body.client_id }),
  },
  'delete-a-client-secret-of-an-oauth-app': {
    fresh: async (world, params) => {
      const { client_id } = await clientId(world, params)
      const { body } = await world.ann.post(`/oauth-apps/${client_id}/secrets`)
      return { client_id: client_id!, secret_id: body.id }
    },
  },
  'revoke-all-grants-of-an-app': { fresh: appSlug },
  'revoke-all-grants-of-an-oauth-app': { fresh: clientId },
  'check-a-token': ofToken,
  'reset-a-token': ofToken,
  'delete-an-app-token': ofToken,
  'create-a-scoped-access-token': {
    fresh: clientToken,
    body: (_world, { access_token = 'x' }) => ({ access_token, target: 'ann' }),
  },
  'delete-an-app-authorization': ofToken,
  'get-a-single-grant': { fresh: clientToken },
  'delete-a-grant': { fresh: clientToken },
  'approve-an-oauth-app': { fresh: clientId },
  'withdraw-the-approval-of-an-oauth-app': { fresh: approved },
  'install-an-app': { fresh: installable, body: (_world, { account = 'bob' }) => ({ account }) },
  'get-an-installation-for-the-authenticated-app': { fresh: installed },
  'delete-an-installation-for-the-authenticated-app': { fresh: installed },
  'suspend-an-app-installation': { fresh: installed },
  'unsuspend-an-app-installation': { fresh: suspended },
  'create-an-installation-access-token-for-an-app': { fresh: installed, body: { repositories: ['one'] } },
  'get-an-organization-installation-for-the-authenticated-app': { fresh: installed },
  'get-a-user-installation-for-the-authenticated-app': { fresh: installedAtHome },
  'get-a-repository-installation-for-the-authenticated-app': { fresh: installedAtHome },
  'list-repositories-accessible-to-the-user-access-token': { fresh: installedAtHome },
  'update-an-installation': { fresh: installed, body: { repositories: 'all' } },
  'uninstall-an-app': { fresh: installed },
  'suspend-an-installation-as-its-owner': { fresh: installed },
  'unsuspend-an-installation-as-its-owner': { fresh: suspended },
  'add-a-repository-to-an-app-installation': { fresh: installed },
  'remove-a-repository-from-an-app-installation': { fresh: installed },
  'start-a-workflow-run': { body: { name: 'build' } },
  'get-a-workflow-run': { fresh: startedRun },
  'end-a-workflow-run': { fresh: startedRun, body: { status: 'completed' } },
  'create-a-token-of-a-workflow-run': { fresh: startedRun, body: { permissions: { contents: 'read' } } },
}

/** As the app itself, or as its installation at home. */
export const asApp = async (world: World): Promise<RestClient> => (await sharedApp(world)).asItself()
export async function asItsInstallation(world: World): Promise<RestClient> {
  const { installation_id } = await installedAtHome(world, {})
  return asInstallation(world, await sharedApp(world), Number(installation_id))
}

/** By client id and secret. */
export async function asItsClient(world: World): Promise<RestClient> {
  const { client_id, client_secret } = (await sharedApp(world)).body
  const authorization = `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`
  return makeRest(world.server.url, undefined, { authorization })
}
