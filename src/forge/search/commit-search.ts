/** Searches commit messages on default branches with git, a few repositories at a time. */
import type { Actor } from '../../accounts/actor.ts'
import type { PageRequest } from '../../lib/page.ts'
import { mapInSlices } from '../../lib/scheduling/slices.ts'
import type { Store } from '../../store/store.ts'
import type { OpenRepository } from '../access/repository.ts'
import type { Commit } from '../git/read/commit.ts'
import type { GitReading } from '../git/read/git-reading.ts'
import { parseTimes, type QualifierOf, type QueryOf, type Range, takeApart } from '../issues/search/search-query.ts'
import type { People } from '../people/people.ts'
import { demandShown, maxResults, readFlag, refuse, type SearchResult } from './search-result.ts'
import { findSearchedRepositories } from './searched-repositories.ts'

const names = [
  ...(['repo', 'user', 'org', 'author', 'committer', 'author-name', 'committer-name', 'author-email'] as const),
  ...(['committer-email', 'author-date', 'committer-date', 'merge', 'hash', 'parent', 'tree', 'is'] as const),
] as const
type Name = (typeof names)[number]
type Query = QueryOf<Name>
const unserved: ReadonlySet<string> = new Set<string>()

/** The newest matching commits of a repository that are looked at. */
const maxPerRepository = 300

export type FoundCommit = { readonly commit: Commit; readonly repository: OpenRepository }
export type CommitSearchOrder = {
  readonly sort: 'author-date' | 'committer-date'
  readonly direction: 'asc' | 'desc'
}

type Needs = { store: Store; reading: GitReading; people: People }

export type CommitSearch = ReturnType<typeof makeCommitSearch>

export function makeCommitSearch({ store: { db }, reading, people }: Needs) {
  /** The arguments for git; undefined if nothing can match. */
  async function toWords({ words, qualifiers }: Query): Promise<string[] | undefined> {
    const asked: string[] = words.map((word) => `--grep=${word}`)
    for (const { name, value, isNegated } of qualifiers) {
      if (isNegated) continue
      if (name === 'author' || name === 'committer') {
        const addresses = await people.addressesOf(value)
        if (addresses.length === 0) return undefined
        asked.push(...addresses.map((address) => `--${name}=<${address}>`))
      }
      if (name === 'merge') asked.push(readFlag(name, value) ? '--merges' : '--no-merges')
    }
    return ['--fixed-strings', '--regexp-ignore-case', '--all-match', ...asked]
  }

  return {
    async search(
      actor: Actor,
      text: string,
      { sort, direction }: CommitSearchOrder,
      { offset, limit }: PageRequest,
    ): Promise<SearchResult<FoundCommit>> {
      demandShown(offset)
      const query = takeApart(text, { names, unserved })
      const { repositories, isMore } = await findSearchedRepositories(db, actor, query.qualifiers)
      const words = await toWords(query)
      const fits = makeFilter(query)
      const found: FoundCommit[] = []
      let isCut = isMore
      for (const repository of words ? repositories : []) {
        const tip = await reading.resolve(repository, repository.defaultBranch)
        if (!tip) continue
        const range = [`--max-count=${maxPerRepository + 1}`, ...words!, tip, '--']
        const listed = (await reading.remember(repository, ['rev-list', ...range])).toString()
        const shas = listed.split('\n').filter(Boolean)
        isCut ||= shas.length > maxPerRepository
        const commits = await reading.commits(repository, shas.slice(0, maxPerRepository))
        const fitting = await mapInSlices(commits, fits)
        for (const [i, commit] of commits.entries()) if (fitting[i]) found.push({ commit, repository })
      }
      const timeOf = ({ commit }: FoundCommit) =>
        (sort === 'author-date' ? commit.author : commit.committer).date.getTime()
      const sign = direction === 'asc' ? 1 : -1
      found.sort((a, b) => sign * (timeOf(a) - timeOf(b)) || (a.commit.sha < b.commit.sha ? -1 : 1))
      const items = found.slice(0, maxResults).slice(offset, offset + limit)
      return { total: found.length, isIncomplete: isCut, items, words: query.words }
    },
  }
}

/** Filters that git is not asked for, applied to its results. */
function makeFilter({ withoutWords, qualifiers }: Query): (commit: Commit) => boolean {
  const tests = qualifiers.flatMap((qualifier) => {
    const test = makeTest(qualifier)
    return test ? [(commit: Commit) => test(commit) !== qualifier.isNegated] : []
  })
  return (commit) => {
    const message = commit.message.toLowerCase()
    return !withoutWords.some((word) => message.includes(word)) && tests.every((test) => test(commit))
  }
}

function makeTest({ name, value, isNegated }: QualifierOf<Name>): ((commit: Commit) => boolean) | undefined {
  const word = value.toLowerCase()
  const inRange = (date: Date, { from = 0, below = Number.POSITIVE_INFINITY }: Range) =>
    date.getTime() >= from && date.getTime() < below
  switch (name) {
    case 'author-name':
      return ({ author }) => author.name.toLowerCase().includes(word)
    case 'committer-name':
      return ({ committer }) => committer.name.toLowerCase().includes(word)
    case 'author-email':
      return ({ author }) => author.email.toLowerCase() === word
    case 'committer-email':
      return ({ committer }) => committer.email.toLowerCase() === word
    case 'author-date': {
      const range = parseTimes(name, value)
      return ({ author }) => inRange(author.date, range)
    }
    case 'committer-date': {
      const range = parseTimes(name, value)
      return ({ committer }) => inRange(committer.date, range)
    }
    case 'hash':
      return ({ sha }) => sha === word
    case 'parent':
      return ({ parents }) => parents.includes(word)
    case 'tree':
      return ({ tree }) => tree === word
    case 'author':
    case 'committer':
    case 'merge':
    case 'repo':
    case 'user':
    case 'org':
      if (isNegated) throw refuse(`-${name} is not served here.`)
      return undefined
    case 'is':
      return undefined
  }
}
