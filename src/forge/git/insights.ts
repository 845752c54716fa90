/** What can be said of a whole repository: its languages and who has made it. */
import type { Repository } from '../repositories/repository.ts'
import { languageOf } from './languages.ts'
import type { Reading } from './reading.ts'

export type Insights = ReturnType<typeof makeInsights>

export function makeInsights({ reading }: { reading: Reading }) {
  return {
    /** Bytes of each language of the default branch, most first. */
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

    /** Authors of the default branch and how many commits each has, most first. */
    async contributors(repository: Repository): Promise<{ name: string; email: string; count: number }[]> {
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
    },
  }
}
