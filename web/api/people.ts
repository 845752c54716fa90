/** People, as the forge knows them: names, and whether they are suspended. */
import { Fault, unreachable } from './fault.ts'

async function ask(path: string, method = 'GET'): Promise<Response> {
  const response = await fetch(path, { method, headers: { accept: 'application/json' } }).catch(() => {
    throw unreachable()
  })
  if (response.ok) return response
  const { message = '' } = (await response.json().catch(() => ({}))) as { message?: string }
  throw new Fault(response.status, message || `The server answered ${response.status}. Try again in a moment.`)
}

export async function findPerson(name: string): Promise<{ readonly id: number }> {
  try {
    return (await (await ask(`/users/${encodeURIComponent(name)}`)).json()) as { id: number }
  } catch (error) {
    if (error instanceof Fault && error.code === 404) throw new Fault(404, `There is no account named ${name}.`)
    throw error
  }
}

export async function suspend(name: string, isSuspended: boolean): Promise<void> {
  await ask(`/users/${encodeURIComponent(name)}/suspended`, isSuspended ? 'PUT' : 'DELETE')
}

/** The logins of the organisations that one is in. */
export async function listOwnOrganisations(): Promise<readonly string[]> {
  const list = (await (await ask('/user/orgs?per_page=100')).json()) as readonly { login: string }[]
  return list.map(({ login }) => login)
}
