/** The first start creates one admin; without a password in the settings, a random one is printed once. */
import { Failure, OperatorError } from '../lib/failure.ts'
import { generateAlphanumeric } from '../lib/ids.ts'
import type { Accounts } from './accounts.ts'
import { everyScope } from './tokens/scopes.ts'
import type { Tokens } from './tokens.ts'

export type FirstAdmin = {
  readonly name: string
  readonly password: string | undefined
  readonly token: string | undefined
}

/** Answers the random password, or undefined if none was made. */
export async function makeFirstAdmin(
  { accounts, tokens }: { accounts: Accounts; tokens: Tokens },
  { name, password, token }: FirstAdmin,
): Promise<string | undefined> {
  if (await accounts.hasAdmin()) return undefined
  const generated = password === undefined ? generateAlphanumeric(20) : undefined
  const draft = { name, displayName: name, role: 'admin', password: password ?? generated! } as const
  try {
    await accounts.insert(draft, async (trx, admin) => {
      if (token === undefined) return
      await tokens.make(admin, { kind: 'classic', note: 'first start', scopes: everyScope, text: token }, trx)
    })
    return generated
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'conflict') throw error
    // Another server that starts on the same database was first.
    if (await accounts.hasAdmin()) return undefined
    throw new OperatorError(`There is no admin, and the name ${name} is taken: set GUILDHALL_ADMIN_NAME to another.`)
  }
}
