/** kill -9 at random moments while accounts and sessions are made and ended: all that was answered is there, nothing refused is. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type Program, startProgram } from '../support/program.ts'
import { type Json, makeRpcClient, type RpcClient } from '../support/rpc.ts'
import { until } from '../support/until.ts'

const rounds = 5
const clients = 2

/** What is known of an account: each value is sure, or one of those it may be since an answer never came. */
type Known = { name: string; id: number; displayNames: string[]; passwords: string[] }
/** A session is alive, dead, or was being ended when the server was killed. */
type Session = { token: string; name: string; state: 'alive' | 'dead' | 'unsure' }

const params = (name: string) => ({
  AccountName: name,
  DisplayName: name,
  Role: 'contestant',
  Password: 'first-password',
})

/** What one client did and was told; an answer that never came throws, which ends the client. */
class Client {
  readonly accounts: Known[] = []
  readonly sessions: Session[] = []
  readonly refused: string[] = []
  readonly #rpc: RpcClient
  readonly #prefix: string

  constructor(url: string, prefix: string) {
    this.#rpc = makeRpcClient(url)
    this.#prefix = prefix
  }

  async work(): Promise<void> {
    for (let i = 0; ; i++) {
      const name = `${this.#prefix}-${i}`
      const { Account } = await this.#rpc.call('create_account', params(name))
      const account: Known = { name, id: Account.ID, displayNames: [name], passwords: ['first-password'] }
      this.accounts.push(account)
      await this.#beRefused(`${name}-no`)
      const [kept, ended] = [await this.#signIn(account), await this.#signIn(account)]
      ended.state = 'unsure'
      await this.#rpc.as(ended.token).call('delete_session')
      ended.state = 'dead'
      account.displayNames.push(`${name}-renamed`)
      await this.#rpc.as(kept.token).call('update_account', { ID: account.id, DisplayName: `${name}-renamed` })
      account.displayNames.shift()
      await this.#changePassword(account, kept)
    }
  }

  /** A name that is taken, a role that is not to be had: each refused by the server, each to leave nothing. */
  async #beRefused(name: string): Promise<void> {
    assert.notEqual(await this.#rpc.code('create_account', { ...params(name), Role: 'admin' }), 0)
    this.refused.push(name)
  }

  async #signIn({ name, passwords }: Known): Promise<Session> {
    const { Token } = await this.#rpc.call('create_session', { AccountName: name, Password: passwords[0] })
    const session: Session = { token: Token, name, state: 'alive' }
    this.sessions.push(session)
    return session
  }

  /** It ends the account's other sessions. */
  async #changePassword(account: Known, by: Session): Promise<void> {
    const other = await this.#signIn(account)
    other.state = 'unsure'
    account.passwords.push('second-password')
    await this.#rpc.as(by.token).call('update_account', { ID: account.id, Password: 'second-password' })
    account.passwords.shift()
    other.state = 'dead'
  }
}

async function verify(admin: RpcClient, client: Client, isFresh: boolean): Promise<void> {
  for (const { token, name, state } of client.sessions) {
    const answer = await admin.as(token).ask('get_session')
    if (state === 'alive') assert.equal(answer.result?.Account.AccountName, name)
    if (state === 'dead') assert.ok(answer.error, `a session of ${name} lives on`)
  }
  for (const { id, name, displayNames, passwords } of client.accounts) {
    const { Account } = await admin.call('get_account', { ID: id })
    assert.equal(Account.AccountName, name)
    assert.ok(displayNames.includes(Account.DisplayName), `${name} is called ${Account.DisplayName}`)
    // A sign-in is slow by design: the passwords tried are those of the last moments before the kill.
    if (!isFresh || !client.accounts.slice(-2).some((one) => one.id === id)) continue
    const tries = await Promise.all(
      passwords.map((one) => admin.code('create_session', { AccountName: name, Password: one })),
    )
    assert.equal(tries.filter((code) => code === 0).length, 1, `${name} has one password`)
  }
}

async function listNames(admin: RpcClient): Promise<Set<string>> {
  const names = new Set<string>()
  for (let offset = 0; ; offset += 100) {
    const { AccountList } = await admin.call('get_account_list', { Offset: offset, Limit: 100 })
    for (const { AccountName } of AccountList as Json[]) names.add(AccountName)
    if (AccountList.length < 100) return names
  }
}

describe('a server that is killed again and again', () => {
  let place: string
  let server: Program | undefined
  before(async () => {
    place = await mkdtemp(join(tmpdir(), 'guildhall-kill-'))
  })
  after(async () => {
    await server?.end('SIGKILL')
    await rm(place, { recursive: true, force: true })
  })

  it('has after each restart all that it answered, and nothing that it refused', async (t) => {
    const environment = { GUILDHALL_DATA: place, GUILDHALL_ADMIN_PASSWORD: 'admin-password', GUILDHALL_LIMITS: 'off' }
    const all: Client[] = []
    for (let round = 0; round < rounds; round++) {
      server = await startProgram(environment)
      const { url } = server
      const made = Array.from({ length: clients }, (_, i) => new Client(url, `r${round}-c${i}`))
      // The last call of each has no answer: the connection breaks. Anything else the server said is a finding.
      const working = made.map((client) =>
        client.work().catch((error) => {
          if (!/socket hang up|ECONNRE(?:SET|FUSED)|EPIPE|aborted|Unexpected end/.test(String(error))) throw error
        }),
      )
      // Last round's work is looked at while this round's goes on.
      const admin = await makeRpcClient(url).signIn('admin', 'admin-password')
      for (const client of all.slice(-clients)) await verify(admin, client, true)
      // Each round dies after another number of answers: some in the thick of it, some hardly begun.
      const enough = (round * 5) % 12
      await until(
        () => made.reduce((sum, { accounts, sessions }) => sum + accounts.length + sessions.length, 0) >= enough,
      )
      await Promise.all([server.end('SIGKILL'), ...working])
      all.push(...made)
    }
    server = await startProgram(environment)
    const admin = await makeRpcClient(server.url).signIn('admin', 'admin-password')
    const names = await listNames(admin)
    for (const { refused } of all) for (const name of refused) assert.ok(!names.has(name), `${name} was refused`)
    for (const client of all) await verify(admin, client, all.indexOf(client) >= all.length - clients)
    const [accounts, sessions] = [all.flatMap((one) => one.accounts), all.flatMap((one) => one.sessions)]
    t.diagnostic(`${rounds} rounds: ${accounts.length} accounts and ${sessions.length} sessions were answered`)
    assert.ok(accounts.length > rounds && sessions.some(({ state }) => state === 'dead'))
    assert.equal(await server.end('SIGTERM'), 0)
  })
})
