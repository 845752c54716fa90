/**
 * The people that records name. Somebody without a record of their own becomes one by their address, and the author of
 * what nobody owns any more is `ghost`, as on the public platform.
 */
import { isAccountName } from '../../../../accounts/account-rules.ts'
import type { ExportRecord } from '../../records/record-files.ts'
import { demandImport } from '../refusal.ts'
import type { RawRecord } from './raw-record.ts'

type Account = { readonly address: string; readonly isUser: boolean }

const firstDay = '1970-01-01T00:00:00Z'
export const ghostLogin = 'ghost'

export type People = ReturnType<typeof makePeople>

/** `addUser` takes the records of those who have none. */
export function makePeople(origin: string, addUser: (record: ExportRecord) => void) {
  const known = new Map<string, Account>()
  const logins = new Set<string>()
  const renamed = new Map<string, string>()

  /** Logins here have letters, digits and hyphens: `dependabot[bot]` becomes `dependabot-bot`. */
  function chooseLogin(given: string): string {
    const plain = given
      .replace(/[^A-Za-z0-9]+/g, '-')
      .slice(0, 39)
      .replace(/^-+|-+$/g, '')
    const base = isAccountName(plain) ? plain : ghostLogin
    let login = base
    for (let more = 2; logins.has(login.toLowerCase()); more++) login = `${base.slice(0, 33)}-${more}`
    if (login !== given) renamed.set(given, login)
    return login
  }

  function add(address: string, given: string, isUser: boolean): string {
    const login = chooseLogin(given)
    logins.add(login.toLowerCase())
    known.set(address.toLowerCase(), { address: `${origin}/${login}`, isUser })
    return login
  }

  function addUnrecorded(address: string, login: string): string {
    const chosen = add(address, login, true)
    addUser({ type: 'user', url: `${origin}/${chosen}`, login: chosen, name: null, emails: [], created_at: firstDay })
    return `${origin}/${chosen}`
  }

  function person(address: string | null): string {
    if (address === null) return ghost()
    const found = known.get(address.toLowerCase())
    if (found) return found.address
    const [, login] = /^https?:\/\/[^/]+\/([^/?#]{1,100})$/.exec(address) ?? []
    return login === undefined ? ghost() : addUnrecorded(address, login)
  }

  const ghost = (): string =>
    known.get(`${origin}/${ghostLogin}`.toLowerCase())?.address ?? addUnrecorded(`${origin}/${ghostLogin}`, ghostLogin)

  const isUser = (address: string): boolean => known.get(address.toLowerCase())?.isUser ?? true

  return {
    person,
    personOrNull: (address: string | null): string | null => (address === null ? null : person(address)),
    has: (address: string): boolean => known.has(address.toLowerCase()),
    organisation(address: string | null): string | null {
      const found = address === null ? undefined : known.get(address.toLowerCase())
      return found && !found.isUser ? found.address : null
    },
    /** Each once, organisations left out. */
    users: (addresses: readonly (string | null)[]): string[] => [
      ...new Set(addresses.flatMap((one) => (one !== null && isUser(one) ? [person(one)] : []))),
    ],
    /** Answers the login that the account of a record gets. */
    add(record: RawRecord, isUserRecord: boolean): string {
      const address = record.demandAddress('url')
      demandImport(!known.has(address.toLowerCase()), `${record.place}: ${address} is there twice.`)
      return add(address, record.text('login', 100), isUserRecord)
    },
    /** The logins that could not stay as they are. */
    renamed: (): readonly (readonly [from: string, to: string])[] => [...renamed],
  }
}
