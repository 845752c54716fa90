/** The message of a merge commit: given by the actor, or made from the pull and its commits. */

import type { Commit, Signature } from '../../git/read/commit.ts'
import { cleanName } from '../../git/write/commit-text.ts'

type Titled = { readonly number: number; readonly title: string }
type Given = { readonly title?: string | undefined; readonly message?: string | undefined }

const maxCoAuthors = 20

const join = (title: string, message: string): string => (message ? `${title}\n\n${message}` : title)

/** `head`: `owner/branch`. */
export const describeMerge = ({ number, title }: Titled, head: string, given: Given): string =>
  join(given.title || `Merge pull request #${number} from ${head}`, given.message ?? title)

/** `others`: authors of its commits other than the pull's author. */
export function describeSquash(
  { number, title }: Titled,
  commits: readonly Commit[],
  others: readonly Signature[],
  given: Given,
): string {
  const [first] = commits
  const bodyOf = ({ message }: Commit) => message.split('\n').slice(1).join('\n').trim()
  const usual = commits.length === 1 ? bodyOf(first!) : commits.map(({ message }) => `* ${message}`).join('\n\n')
  const named = new Map(others.map(({ name, email }) => [email.toLowerCase(), `${cleanName(name)} <${clean(email)}>`]))
  const trailers = [...named.values()].slice(0, maxCoAuthors).map((author) => `Co-authored-by: ${author}`)
  const text = join(given.title || `${title} (#${number})`, given.message ?? usual)
  return trailers.length > 0 ? `${text}\n\n${trailers.join('\n')}` : text
}

const clean = (email: string): string => email.replace(/[<>\s]/g, '')
