/** A server with an organisation, and the way from a refused token to its authorisation, step by step. */
import assert from 'node:assert/strict'
import type { Engine } from '../../support/engines.ts'
import { asAdmin, makeRest, makeToken, type RestClient } from '../../support/rest.ts'
import { makeRpcClient } from '../../support/rpc.ts'
import { type ServerOptions, startServer, type TestServer } from '../../support/server.ts'
import { type Browser, makeBrowser, type Visit } from './browser.ts'

export type Stage = {
  readonly server: TestServer
  readonly root: RestClient
  /** A new user with a classic token who is a member of acme. */
  join(login: string): Promise<RestClient>
  /** A browser in which this user is signed in. */
  open(login: string): Promise<Browser>
}

const password = 'a good password'

/** The organisation acme is owned by ann and has a private repository. */
export async function setStage(
  engine: Engine,
  environment: Record<string, string> = {},
  options: Pick<ServerOptions, 'clock'> = {},
): Promise<Stage> {
  const server = await startServer(engine, { environment, ...options })
  const root = asAdmin(server)
  const anonymous = makeRpcClient(server.url)
  const register = async (login: string) => {
    await anonymous.call('create_account', {
      AccountName: login,
      DisplayName: login,
      Password: password,
      Role: 'contestant',
    })
    return makeRest(
      server.url,
      await makeToken(server, login, { kind: 'classic', scopes: ['repo', 'admin:org'], note: `of ${login}` }),
    )
  }
  const ann = await register('ann')
  await root.post('/admin/organizations', { login: 'acme', admin: 'ann' })
  await ann.post('/orgs/acme/repos', { name: 'secret', private: true })
  return {
    server,
    root,
    async join(login) {
      const client = login === 'ann' ? ann : await register(login)
      if (login !== 'ann') await root.put(`/orgs/acme/memberships/${login}`, { role: 'member' })
      return client
    },
    async open(login) {
      const browser = makeBrowser()
      const signedIn = await browser.visit(`${server.url}/orgs/acme/sso/session`, { name: login, password })
      assert.equal(signedIn.status, 303, signedIn.text)
      return browser
    },
  }
}

/** The address that a refused token is given. */
export async function askAddress(client: RestClient): Promise<string> {
  const { status, headers } = await client.get('/repos/acme/secret')
  assert.equal(status, 403)
  return /url=(.*)$/.exec(headers.get('x-platform-sso') ?? '')![1]!
}

/** Confirms on the page; answers the address of the provider. */
export async function depart(browser: Browser, address: string): Promise<string> {
  const { status, location, text } = await browser.visit(address, {})
  assert.equal(status, 303, text)
  return location
}

/** From the page that a provider's answer got to the end. */
export async function finish(browser: Browser, page: Visit): Promise<Visit> {
  assert.equal(page.status, 200, page.text)
  const [, next = ''] = /<main>.*?<a href="([^"]+)"/s.exec(page.text) ?? []
  return browser.visit(new URL(next, page.url).href)
}
