/** The author and committer of commits and tags made here: those given, or the account's own. */
import type { SignedIn } from '../../../accounts/actor.ts'
import { invalidField } from '../../failures.ts'
import { hiddenAddress } from '../../person.ts'
import type { Signature } from '../read/commit.ts'
import { cleanName } from './commit-text.ts'

export type GivenSignature = {
  readonly name?: string | undefined
  readonly email?: string | undefined
  readonly date?: Date | undefined
}

/** Without the account's real address. */
export const signatureOf = ({ account }: SignedIn, now: number): Signature => ({
  name: account.displayName || account.name,
  email: hiddenAddress(account.name),
  date: new Date(now),
})

/** In the form of a commit's header. */
export const spellSignature = ({ name, email, date }: Signature): string =>
  `${cleanName(name)} <${cleanName(email)}> ${Math.floor(date.getTime() / 1000)} +0000`

/** Git keeps times as whole seconds since 1970. */
export function completeSignature(field: string, given: GivenSignature | undefined, usual: Signature): Signature {
  if (!given) return usual
  const { name = usual.name, email = usual.email, date = usual.date } = given
  for (const [member, text] of Object.entries({ name, email })) {
    const isPlain = /^[^<>\x00-\x1f\x7f]+$/.test(text) && text.trim() !== ''
    if (!isPlain)
      throw invalidField(`${field}.${member}`, 'invalid', `${field}.${member} must be one line without < and >.`)
  }
  if (date.getTime() < 0 || date.getTime() > maxTime)
    throw invalidField(`${field}.date`, 'invalid', `${field}.date must be between 1970 and 2099.`)
  return { name, email, date }
}

/** The latest time that every git accepts. */
const maxTime = Date.UTC(2100, 0, 1) - 1
