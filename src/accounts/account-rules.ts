/** The rules for an account's name, display name and password, wherever they are given. */
import { demand } from '../lib/failure.ts'

/** A string, as JSON Schema needs. */
export const accountNamePattern = '^[A-Za-z0-9](?:[A-Za-z0-9-]{0,37}[A-Za-z0-9])?$'
/** Completes "A name has …" and "must be …". */
export const accountNameRule = '1 to 39 letters, digits or hyphens, with no hyphen at an end'

const accountName = new RegExp(accountNamePattern)

export const isAccountName = (text: string): boolean => accountName.test(text)

/** The account of the executor inside. If a user had the name before, their account is no worker. */
export const executorAccountName = 'guildhall-executor'
export const isServersOwn = ({ name, role }: { readonly name: string; readonly role: string }): boolean =>
  name === executorAccountName && role === 'worker'

/** Without this account nothing would be judged, and nobody would see why. */
export const demandNotServersOwn = (account: { readonly name: string; readonly role: string }): void =>
  demand(
    !isServersOwn(account),
    'precondition',
    'servers-own-account',
    `${executorAccountName} is the server’s own account, by which it judges: to judge elsewhere, set GUILDHALL_EXECUTORS=0.`,
  )

export type AccountFields = { readonly name?: string; readonly displayName?: string; readonly password?: string }

export function demandAccountRules({ name, displayName, password }: AccountFields): void {
  demand(
    name === undefined || isAccountName(name),
    'invalid',
    'account-name',
    `An account name has ${accountNameRule}.`,
  )
  demand(
    displayName === undefined || (hasLength(displayName, 1, 64) && !displayName.includes('\0')),
    'invalid',
    'display-name',
    'A display name has 1 to 64 characters.',
  )
  demand(
    password === undefined || hasLength(password, 8, 256),
    'invalid',
    'password',
    'A password has 8 to 256 characters.',
  )
}

const hasLength = (text: string, least: number, most: number): boolean => {
  const length = [...text].length
  return text.isWellFormed() && length >= least && length <= most
}
