/** What an account's name, display name and password may look like, for those who give them by other ways than a wire. */
import { demand } from '../base/failure.ts'
import { accountNamePattern } from './accounts.ts'

export type AccountForm = { readonly name?: string; readonly displayName?: string; readonly password?: string }

export function demandAccountForm({ name, displayName, password }: AccountForm): void {
  demand(
    name === undefined || new RegExp(accountNamePattern).test(name),
    'invalid',
    'account-name',
    'An account name has 1 to 39 letters, digits or hyphens, with no hyphen at an end.',
  )
  demand(
    displayName === undefined || (isLong(displayName, 1, 64) && !displayName.includes('\0')),
    'invalid',
    'display-name',
    'A display name has 1 to 64 characters.',
  )
  demand(
    password === undefined || isLong(password, 8, 256),
    'invalid',
    'password',
    'A password has 8 to 256 characters.',
  )
}

const isLong = (text: string, least: number, most: number): boolean => {
  const length = [...text].length
  return text.isWellFormed() && length >= least && length <= most
}
