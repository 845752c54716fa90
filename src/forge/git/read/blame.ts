/** The commit that each line of a file comes from. */
import { isUtf8 } from 'node:buffer'
import { demand } from '../../../lib/failure.ts'
import type { Repository } from '../../access/repository.ts'
import { notFound } from '../../failures.ts'
import type { Commit } from './commit.ts'
import type { Contents } from './contents.ts'
import type { GitReading } from './git-reading.ts'
import { pathBytes } from './path-text.ts'

export type BlameRange = { readonly startingLine: number; readonly endingLine: number; readonly commit: Commit }

/** Git compares every version of the file with the one before. */
const maxBytes = 1024 * 1024

export type Blame = ReturnType<typeof makeBlame>

export function makeBlame({ reading, contents }: { reading: GitReading; contents: Contents }) {
  return {
    async ranges(repository: Repository, sha: string, path: string): Promise<BlameRange[]> {
      const file = await contents.find(repository, sha, path)
      if (file.kind !== 'file') throw notFound()
      const isText = isUtf8(pathBytes(file.path))
      demand(isText, 'invalid', 'path-not-text', 'git can’t tell this file’s lines: its name is not UTF-8.')
      demand(file.size <= maxBytes, 'invalid', 'too-large', 'Blame is available only for files of up to 1 MiB.')
      const words = ['blame', '--incremental', sha, '--', file.path]
      const ranges = parseRanges((await reading.remember(repository, words)).toString('latin1'))
      const commits = await reading.commits(repository, [...new Set(ranges.map(({ by }) => by))])
      const known = new Map(commits.map((commit) => [commit.sha, commit]))
      return ranges.flatMap(({ by, ...range }) => {
        const commit = known.get(by)
        return commit ? [{ ...range, commit }] : []
      })
    },
  }
}

/** Lines are `<commit> <line there> <line here> <lines>`, then details. Adjacent ranges of one commit are joined. */
function parseRanges(text: string) {
  const found = [...text.matchAll(/^([0-9a-f]{40}) \d+ (\d+) (\d+)$/gm)].map(([, by = '', first, count]) => ({
    by,
    startingLine: Number(first),
    endingLine: Number(first) + Number(count) - 1,
  }))
  found.sort((a, b) => a.startingLine - b.startingLine)
  const ranges: typeof found = []
  for (const range of found) {
    const last = ranges.at(-1)
    if (last?.by === range.by && last.endingLine + 1 === range.startingLine) last.endingLine = range.endingLine
    else ranges.push(range)
  }
  return ranges
}
