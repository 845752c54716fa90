/** People with passwords and browsers, OAuth apps, and the ways from a browser's first look to a token. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { makeRest, makeToken, type RestClient, usualScopes } from '../../support/rest.ts'
import { type Json, makeRpcClient } from '../../support/rpc.ts'
import type { TestServer } from '../../support/server.ts'
import { type Browser, makeBrowser, type Visit } from '../single-sign-on/browser.ts'

export const password = 'a good password'
export const callback = 'https://client.example.org/back?kept=a%20b'

/** A user with a password and a classic token. */
export async function register(server: TestServer, login: string): Promise<RestClient> {
  const draft = { AccountName: login, DisplayName: login, Password: password, Role: 'contestant' }
  await makeRpcClient(server.url).call('create_account', draft)
  return makeRest(server.url, await makeToken(server, login, { kind: 'classic', scopes: usualScopes }))
}

/** A browser in which this user is signed in. */
export async function openBrowser(server: TestServer, login: string): Promise<Browser> {
  const browser = makeBrowser()
  const { status, text } = await browser.visit(`${server.url}/login/oauth/session`, { name: login, password })
  assert.equal(status, 200, text)
  return browser
}

let count = 0
export async function registerOAuthApp(owner: RestClient, settings: object = {}, path = '/user/oauth-apps') {
  const draft = { name: `Client ${++count}`, url: 'https://client.example.org', callback_urls: [callback], ...settings }
  const { status, body } = await owner.post(path, draft)
  assert.equal(status, 201, JSON.stringify(body))
  return body as Json
}

const verifier = 'a-verifier-that-is-long-enough-to-be-one-0123456789'
export const challenge = createHash('sha256').update(verifier).digest('base64url')
export const pkce = { code_challenge: challenge, code_challenge_method: 'S256' }
export { verifier }

export const authorizeUrl = (server: TestServer, query: Record<string, string>): string =>
  `${server.url}/login/oauth/authorize?${new URLSearchParams(query)}`

/** The fields of the form on a page. */
export function fieldsOf({ text }: Visit): Record<string, string> {
  const found = [...text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)]
  return Object.fromEntries(found.map(([, name = '', value = '']) => [name, unescapeHtml(value)]))
}

export const unescapeHtml = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

/** Where a page sends the browser on. */
export function goOnOf({ text, location }: Visit): URL {
  if (location) return new URL(location)
  const [, address = ''] = /http-equiv="refresh" content="0; url=([^"]+)"/.exec(text) ?? []
  return new URL(unescapeHtml(address))
}

/** Says yes on the page, where it asks; answers where the browser goes. */
export async function consent(browser: Browser, url: string, decision = 'allow'): Promise<URL> {
  const page = await browser.visit(url)
  if (page.location) return new URL(page.location)
  assert.equal(page.status, 200, page.text)
  const answered = await browser.visit(url, { ...fieldsOf(page), decision })
  assert.equal(answered.status, 200, answered.text)
  return goOnOf(answered)
}

/** As a program asks for a token, by a form, and takes JSON. */
export async function askToken(
  server: TestServer,
  form: Record<string, string>,
  headers: Record<string, string> = {},
  path = '/login/oauth/access_token',
): Promise<Json> {
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: { accept: 'application/json', ...headers },
    body: new URLSearchParams(form),
  })
  return { ...((await response.json()) as object), status: response.status, headers: response.headers }
}

export const credentialsOf = ({ client_id, client_secret }: Json): Record<string, string> => ({
  client_id,
  ...(client_secret && { client_secret }),
})

/** A new token of the app for the browser's user. */
export async function obtain(
  server: TestServer,
  browser: Browser,
  app: Json,
  query: Record<string, string> = {},
): Promise<Json> {
  const back = await consent(browser, authorizeUrl(server, { client_id: app.client_id, ...pkce, ...query }))
  const code = back.searchParams.get('code') ?? ''
  const given = await askToken(server, { ...credentialsOf(app), code, code_verifier: verifier })
  assert.ok(given.access_token, JSON.stringify(given))
  return given
}

export const asClient = (server: TestServer, { client_id, client_secret }: Json): RestClient =>
  makeRest(server.url, undefined, {
    authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`,
  })
