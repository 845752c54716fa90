/** Facts about a whole repository: its languages and contributors. */

import type { Repository } from '../../access/repository.ts'
import type { People } from '../../people/people.ts'
import type { Person } from '../../person.ts'
import type { GitReading } from './git-reading.ts'
import { languageOf } from './languages.ts'

export type Insights = ReturnType<typeof makeInsights>

type Author = { readonly name: string; readonly email: string; readonly count: number }
/** `person` is undefined if the address belongs to no account. */
export type Contributor = Author & { readonly person: Person | undefined }

export function makeInsights({ reading, people }: { reading: GitReading; people: Pick<People, 'findByEmails'> }) {
  async function countAuthors(repository: Repository): Promise<Author[]> {
    const sha = await reading.resolve(repository, repository.defaultBranch)
    if (!sha) return []
    const output = await reading.remember(repository, ['shortlog', '-s', '-n', '-e', sha])
    return output
      .toString('utf8')
      .split('\n')
      .flatMap((line) => {
        const found = /^\s*(\d+)\t(.*?) ?<([^>]*)>$/s.exec(line)
        return found ? [{ count: Number(found[1]), name: found[2]!, email: found[3]! }] : []
      })
  }

  return {
    /** Bytes of each language on the default branch, most first. */
    async languages(repository: Repository): Promise<Record<string, number>> {
      const sha = await reading.resolve(repository, repository.defaultBranch)
      if (!sha) return {}
      const bytes = new Map<string, number>()
      for (const { path, type, size } of await reading.tree(repository, sha, true)) {
        const language = type === 'blob' ? languageOf(path) : undefined
        if (language) bytes.set(language, (bytes.get(language) ?? 0) + (size ?? 0))
      }
      return Object.fromEntries([...bytes].sort((a, b) => b[1] - a[1]))
    },

    /** Authors of the default branch with their number of commits, most first. One person's addresses are merged. */
    async contributors(repository: Repository): Promise<Contributor[]> {
      const authors = await countAuthors(repository)
      const known = await people.findByEmails(authors.map(({ email }) => email))
      const merged = new Map<string, Contributor>()
      for (const author of authors) {
        const person = known.get(author.email.toLowerCase())
        const key = person ? `id:${person.id}` : author.email
        const count = (merged.get(key)?.count ?? 0) + author.count
        merged.set(key, { ...author, person, count })
      }
      return [...merged.values()].sort((a, b) => b.count - a.count)
    },
  }
}
