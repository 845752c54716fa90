/** Mentions and references, completed as one types: people of the repository after `@`, issues and pulls after `#`. */
import { readList, repositoryPath } from '../../api/forge.ts'
import type { User } from '../../api/forge-types.ts'

export type Suggestion = { readonly text: string; readonly name: string; readonly hint: string }
export type Trigger = { readonly kind: '@' | '#'; readonly word: string; readonly start: number }

const mostShown = 6

/** What stands before the caret and can be completed. */
export function findTrigger(text: string, caret: number): Trigger | undefined {
  const before = text.slice(Math.max(0, caret - 60), caret)
  const found = /(?:^|[\s(,;:])([@#])([\p{L}\p{N}_-]{0,39})$/u.exec(before)
  if (!found) return undefined
  const [, kind, word = ''] = found
  return { kind: kind as '@' | '#', word, start: caret - word.length - 1 }
}

type Titled = { readonly number: number; readonly title: string }
const people = new Map<string, Promise<readonly string[]>>()
const threads = new Map<string, Promise<readonly Titled[]>>()

/** Read once for a repository, when it is first asked for; a failure is no more than that nothing is offered. */
function once<T>(known: Map<string, Promise<readonly T[]>>, key: string, read: () => Promise<readonly T[]>) {
  const found = known.get(key)
  if (found) return found
  const made = read().catch(() => {
    known.delete(key)
    return []
  })
  known.set(key, made)
  return made
}

/** `owner/name`; `present` take part in the conversation, and come first. */
export async function suggest(
  repository: string,
  { kind, word }: Trigger,
  present: readonly string[],
): Promise<readonly Suggestion[]> {
  const [owner = '', name = ''] = repository.split('/')
  const sought = word.toLowerCase()
  if (kind === '@') {
    const listed = await once(people, repository, async () => {
      const { items } = await readList<User>(repositoryPath(owner, name, 'assignees'), { per_page: 100 })
      return items.map(({ login }) => login)
    })
    return [...new Set([...present, ...listed])]
      .filter((login) => login.toLowerCase().startsWith(sought))
      .slice(0, mostShown)
      .map((login) => ({ text: `@${login} `, name: `@${login}`, hint: '' }))
  }
  const listed = await once(threads, repository, async () => {
    const query = { state: 'all', sort: 'updated', per_page: 100 }
    return (await readList<Titled>(repositoryPath(owner, name, 'issues'), query)).items
  })
  return listed
    .filter(({ number, title }) => String(number).startsWith(sought) || title.toLowerCase().includes(sought))
    .slice(0, mostShown)
    .map(({ number, title }) => ({ text: `#${number} `, name: `#${number}`, hint: title }))
}
