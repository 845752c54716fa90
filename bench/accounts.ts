/** Accounts over HTTP, against a bare echo of the same body. */
import { compareRates, type Target } from './load.ts'
import { adminPassword, startEcho, startGuildhall } from './peers.ts'
import type { Row } from './table.ts'

const id = '6f3c6a3e-6f0e-4b8e-9c65-2b4a4f1f7f11'
const json = { 'content-type': 'application/json' }

export async function bench(): Promise<Row[]> {
  const [echo, us] = [await startEcho(), await startGuildhall()]
  const ask = (method: string, params: object, token?: string): Target => ({
    url: `${us.url}/`,
    method: 'POST',
    headers: { ...json, ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
  })
  const echoOf = (target: Target): Target => ({ ...target, url: `${echo.url}/` })

  const signIn = ask('create_session', { AccountName: 'admin', Password: adminPassword })
  const response = await fetch(signIn.url, { method: 'POST', headers: json, body: signIn.body! })
  const { result } = (await response.json()) as { result: { Token: string; Account: { ID: number } } }

  const getAccount = ask('get_account', { ID: result.Account.ID }, result.Token)
  const refused = ask('create_session', { AccountName: 'nobody', Password: 'wrong-password' })
  const rows: Row[] = [
    {
      what: 'get_account, signed in',
      against: 'bare Fastify echo',
      ratios: await compareRates(getAccount, echoOf(getAccount)),
      goal: { atLeast: 0.6 },
    },
    {
      what: 'create_session refused (locked out)',
      against: 'bare Fastify echo',
      ratios: await compareRates(refused, echoOf(refused)),
    },
  ]
  await us.stop()
  await echo.stop()
  return rows
}
