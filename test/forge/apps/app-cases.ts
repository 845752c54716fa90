/** For every route of apps a request that succeeds: ann owns the apps and where they are installed. */
import type { RestClient } from '../../support/rest.ts'
import type { Case } from '../route-cases.ts'
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

const appChange = { description: 'Better', hook_attributes: { url: 'https://case.example.org/hook', secret: 's' } }

export const appCases: Record<string, Case> = {
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
}

/** As the app itself, or as its installation at home. */
export const asApp = async (world: World): Promise<RestClient> => (await sharedApp(world)).asItself()
export async function asItsInstallation(world: World): Promise<RestClient> {
  const { installation_id } = await installedAtHome(world, {})
  return asInstallation(world, await sharedApp(world), Number(installation_id))
}
