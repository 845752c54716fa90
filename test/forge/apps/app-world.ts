/** People, repositories and apps for the tests of apps, and clients that ask as an app. */
import { createSign } from 'node:crypto'
import { asAdmin, makeRest, makeUser, type RestClient } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import type { TestServer } from '../../support/server.ts'

export type AppWorld = {
  readonly server: TestServer
  readonly root: RestClient
  /** Owns ann/open, ann/hidden, ann/other and the organisation acme with acme/tool and acme/vault. */
  readonly ann: RestClient
  readonly bob: RestClient
}

export async function makeAppWorld(server: TestServer): Promise<AppWorld> {
  const root = asAdmin(server)
  const ann = await makeUser(server, 'ann')
  const bob = await makeUser(server, 'bob')
  await ann.post('/user/repos', { name: 'open' })
  await ann.post('/user/repos', { name: 'hidden', private: true })
  await ann.post('/user/repos', { name: 'other', private: true })
  await root.post('/admin/organizations', { login: 'acme', admin: 'ann' })
  for (const name of ['tool', 'vault']) await ann.post('/orgs/acme/repos', { name, private: true })
  return { server, root, ann, bob }
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

export type WebTokenDraft = { head?: object; iss?: unknown; iat?: number; exp?: number }

export function signWebToken(pem: string, issuer: unknown, draft: WebTokenDraft = {}, nowMs = Date.now()): string {
  const now = Math.floor(nowMs / 1000)
  const { head = { alg: 'RS256', typ: 'JWT' }, ...claims } = draft
  const text = `${encode(head)}.${encode({ iat: now - 60, exp: now + 540, iss: issuer, ...claims })}`
  return `${text}.${createSign('RSA-SHA256').update(text).sign(pem, 'base64url')}`
}

export type RegisteredApp = { readonly body: Json; asItself(): RestClient }

let count = 0

/** An app with a key. */
export async function registerApp(
  { server }: Pick<AppWorld, 'server'>,
  owner: RestClient,
  settings: object = {},
  path = '/user/apps',
): Promise<RegisteredApp> {
  const name = `Robot ${++count}`
  const { status, body } = await owner.post(path, {
    name,
    url: 'https://robot.example.org',
    default_permissions: { issues: 'write', contents: 'read' },
    public: true,
    ...settings,
  })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return { body, asItself: () => makeRest(server.url, signWebToken(body.pem, body.id)) }
}

export async function installApp(
  app: RegisteredApp,
  owner: RestClient,
  account: string,
  repositories: 'all' | string[] = 'all',
): Promise<number> {
  const { status, body } = await owner.post(`/apps/${app.body.slug}/installations`, { account, repositories })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body.id
}

export async function mintToken(app: RegisteredApp, installation: number, request: object = {}): Promise<string> {
  const { status, body } = await app.asItself().post(`/app/installations/${installation}/access_tokens`, request)
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body.token
}

export const asInstallation = async (
  { server }: Pick<AppWorld, 'server'>,
  app: RegisteredApp,
  installation: number,
  request: object = {},
): Promise<RestClient> => makeRest(server.url, await mintToken(app, installation, request))
