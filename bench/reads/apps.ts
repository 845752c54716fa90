/** Apps, their installations and grants, and migrations: what is read by others than users, or for a short time only. */
import { createSign } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { authorizeUrl, consent, openBrowser, pkce } from '../../test/forge/oauth/oauth-world.ts'
import type { TestServer } from '../../test/support/server.ts'
import type { Client, Json } from './client.ts'
import type { Numbers } from './conversations.ts'
import { counted, forEach, repeat } from './many.ts'
import type { People } from './people.ts'

export type Apps = {
  readonly numbers: Numbers
  /** Asks for what one app has been given. */
  readonly installationToken: string
  /** Good for ten minutes. */
  signAsApp(): string
  /** Where the archive of a migration is, for a few minutes. */
  findArchive(): Promise<string>
}

const draft = (name: string) => ({ name, url: 'https://example.org', default_permissions: { issues: 'write' } })

export async function makeApps({ ann }: People): Promise<Apps> {
  const server = { url: ann.url } as TestServer
  const own = await repeat((i) => ann.rest('POST', '/user/apps', { ...draft(`Robot ${i}`), public: true }))
  await repeat((i) => ann.rest('POST', '/orgs/org-1/apps', draft(`Guild robot ${i}`)))
  const [app] = own
  const signAsApp = () => sign(app.pem, app.id)
  const asApp = (method: string, path: string, body: object = {}) => askAs(ann, signAsApp(), method, path, body)
  const install = (slug: string, account: string) => ann.rest('POST', `/apps/${slug}/installations`, { account })
  for (const { slug } of own) await install(slug, 'org-1')
  for (const login of counted('org').slice(1)) await install(app.slug, login)
  await asApp('PATCH', '/app/hook/config', { url: 'https://example.org/hook' })
  await ann.rest('PATCH', `/apps/${app.slug}`, { hook_attributes: { url: 'https://example.org/hook' } })
  await install(app.slug, 'ann')
  const ofOrganisation = await asApp('GET', '/orgs/org-1/installation')
  const { token } = await asApp('POST', `/app/installations/${ofOrganisation.id}/access_tokens`)

  const oauth = await repeat((i) =>
    ann.rest('POST', '/user/oauth-apps', {
      ...{ name: `Client ${i}`, url: 'https://example.org', callback_urls: ['https://example.org/back'] },
    }),
  )
  await repeat((i) =>
    ann.rest('POST', '/orgs/org-1/oauth-apps', { name: `Guild client ${i}`, url: 'https://example.org' }),
  )
  await forEach(oauth, ({ client_id }) => ann.rest('PUT', `/orgs/org-1/approved-oauth-apps/${client_id}`))
  const browser = await openBrowser(server, 'ann')
  for (const { client_id } of oauth) await consent(browser, authorizeUrl(server, { client_id, ...pkce }))
  const [grant] = await ann.rest('GET', '/applications/grants')
  const [delivery] = await askUntil(
    () => asApp('GET', '/app/hook/deliveries'),
    (list) => list.length > 0,
  )
  const migration = await makeMigrations(ann)
  return {
    installationToken: token,
    signAsApp,
    findArchive: async () => {
      const headers = { authorization: `Bearer ${ann.token}` }
      const path = `/user/migrations/${migration}/archive`
      return (await fetch(ann.url + path, { headers, redirect: 'manual' })).headers.get('location')!
    },
    numbers: {
      app_slug: app.slug,
      client_id: oauth[0].client_id,
      grant_id: String(grant.id),
      installation_id: String(ofOrganisation.id),
      appDelivery: String(delivery.id),
      migration_id: migration,
    },
  }
}

/** Ten are the most that an account has; the newest is of forty repositories. */
async function makeMigrations(ann: Client): Promise<string> {
  const repositories = counted('ann/repo')
  let newest: Json
  for (let i = 0; i < 10; i++) {
    const wanted = i < 9 ? repositories.slice(0, 1) : repositories
    const { id } = await ann.rest('POST', '/user/migrations', { repositories: wanted, exclude_git_data: true })
    newest = await askUntil(
      () => ann.rest('GET', `/user/migrations/${id}`),
      ({ state }) => state === 'exported',
    )
  }
  return String(newest.id)
}

async function askUntil(ask: () => Promise<Json>, isDone: (answer: Json) => boolean): Promise<Json> {
  for (;;) {
    const answer = await ask()
    if (isDone(answer)) return answer
    await wait(20)
  }
}

async function askAs({ url }: Client, token: string, method: string, path: string, body: object): Promise<Json> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const text = method === 'GET' ? {} : { body: JSON.stringify(body) }
  const answer = await fetch(url + path, { method, headers, ...text })
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  return answer.json()
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

function sign(pem: string, issuer: number): string {
  const now = Math.floor(Date.now() / 1_000)
  const text = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode({ iat: now - 60, exp: now + 540, iss: issuer })}`
  return `${text}.${createSign('RSA-SHA256').update(text).sign(pem, 'base64url')}`
}
