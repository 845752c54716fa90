/** A world on a server: its people under names of their own, and the credentials that every world begins with. */
import type { makeManualClock } from '../../../src/lib/clock.ts'
import { asAdmin, makeToken } from '../../support/rest.ts'
import { makeRpcClient } from '../../support/rpc.ts'
import { admin, type TestServer } from '../../support/server.ts'
import type { Answer, Names, Request } from './act.ts'
import type { Credential, TokenKind } from './credential.ts'
import { makeWorld, plainAdmin, siteAdmin, type World } from './world.ts'

export type ManualClock = ReturnType<typeof makeManualClock>
export type Stage = {
  readonly world: World
  readonly names: Names
  /** The texts of tokens, by the names of their credentials. */
  readonly secrets: Map<string, string>
  send(credential: Credential, request: Request): Promise<Answer>
}

const cast = ['ann', 'bob', 'cid', 'dee', 'eve'] as const
const everyScope = ['repo', 'user', 'admin:org', 'delete_repo', 'notifications']

const plain = { scopes: [], permissions: {}, repositories: 'none' } as const

let count = 0

/** Worlds share the server: each gives its accounts names that no other has. `wanted`: the credentials that will be used. */
export async function openStage(server: TestServer, clock: ManualClock, wanted?: ReadonlySet<string>): Promise<Stage> {
  const prefix = `w${++count}-`
  const names: Names = {
    spell: (account) => (account === siteAdmin || account === plainAdmin ? admin.name : prefix + account),
    read: (login) =>
      login === admin.name ? siteAdmin : login.startsWith(prefix) ? login.slice(prefix.length) : undefined,
  }
  const world = makeWorld()
  const secrets = new Map<string, string>()
  const root = asAdmin(server)
  const isWanted = (name: string) => wanted?.has(name) ?? true

  for (const name of cast) {
    const address = `${prefix}${name}@example.org`
    if (name === 'ann' && isWanted('ann-session')) await makeWithPassword(server, names.spell(name))
    else await root.post('/admin/users', { login: names.spell(name), email: address })
    world.people.set(name, { name, isSuspended: false, address })
  }

  type Draft = { kind: TokenKind; scopes?: string[]; flaw?: 'expired' | 'banned' }
  async function addToken(name: string, account: string, { flaw, ...draft }: Draft): Promise<void> {
    if (!isWanted(name)) return
    const ending = flaw === 'expired' ? new Date(clock.now() + 1_000).toISOString() : '2099-01-01T00:00:00Z'
    const text = await makeToken(server, names.spell(account), { ...draft, expires_at: ending })
    if (flaw === 'banned') await ban(server, text)
    secrets.set(name, text)
    const whose = draft.kind === 'fine-grained' ? { owner: account } : {}
    world.credentials.set(name, { ...plain, name, account, ...whose, ...draft, ...(flaw && { flaw }) })
  }
  for (const name of cast) await addToken(name, name, { kind: 'classic', scopes: everyScope })
  await addToken('ann-expired', 'ann', { kind: 'classic', scopes: everyScope, flaw: 'expired' })
  await addToken('ann-banned', 'ann', { kind: 'classic', scopes: everyScope, flaw: 'banned' })
  await addToken('admin-bare', plainAdmin, { kind: 'classic' })
  await addToken('admin-wide', plainAdmin, { kind: 'classic', scopes: everyScope })
  await addToken('admin-site', siteAdmin, { kind: 'classic', scopes: ['site_admin'] })
  await addToken('admin-fine', plainAdmin, { kind: 'fine-grained' })
  clock.advance(2_000)

  if (isWanted('ann-session'))
    secrets.set('ann-session', (await makeRpcClient(server.url).signIn(names.spell('ann'), password)).token!)
  secrets.set('bad', 'gdp_000000000000000000000000000000000000')
  secrets.set('admin', admin.token)
  const others: readonly Credential[] = [
    { ...plain, name: 'nobody', kind: 'none' },
    { ...plain, name: 'bad', kind: 'classic', flaw: 'bad' },
    { ...plain, name: 'ann-session', kind: 'session', account: 'ann' },
    { ...plain, name: 'admin', kind: 'classic', account: siteAdmin, scopes: [...everyScope, 'site_admin', 'dataset'] },
  ]
  for (const credential of others) world.credentials.set(credential.name, credential)

  return { world, names, secrets, send: (credential, request) => send(server, secrets.get(credential.name), request) }
}

const password = 'a-password-of-ann'

/** A session is had for a password, which takes its time on purpose: one of the people has one. */
async function makeWithPassword(server: TestServer, login: string): Promise<void> {
  const draft = { AccountName: login, DisplayName: login, Role: 'contestant', Password: password }
  await makeRpcClient(server.url, admin.token).call('create_account', draft)
  const token = await makeToken(server, login, { kind: 'classic', scopes: ['user'] })
  const body = JSON.stringify({ email: `${login}@example.org` })
  await fetch(`${server.url}/user`, { method: 'PATCH', headers: { authorization: `Bearer ${token}` }, body })
}

/** A token is banned for going on while limited, which takes a thousand requests: here it is done at once. */
async function ban({ services }: TestServer, text: string): Promise<void> {
  const found = await services.tokens.find(text)
  await services.forge.tokenAdministration.ban(found!.token.id)
}

async function send({ url }: TestServer, secret: string | undefined, request: Request): Promise<Answer> {
  const response = await fetch(url + request.path, {
    method: request.method,
    redirect: 'manual',
    headers: { ...(secret !== undefined && { authorization: `Bearer ${secret}` }), ...request.headers },
    ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') && text !== ''
  return { status: response.status, body: isJson ? JSON.parse(text) : text }
}
