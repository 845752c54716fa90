/** Routes that search repositories, users, labels, code, commits and topics. */

import type { Opening } from '../../../forge/access/opening.ts'
import { everyTokenKind, parsePermissions } from '../../../forge/access/required-grant.ts'
import type { CommitComments } from '../../../forge/commits/comments.ts'
import { invalidField } from '../../../forge/failures.ts'
import type { Verifications } from '../../../forge/keys/signing/verifications.ts'
import type { People } from '../../../forge/people/people.ts'
import type { Searches } from '../../../forge/search/search-services.ts'
import { anyone, signedIn } from '../doors.ts'
import { readCommitFacts } from '../git/commit-routes.ts'
import { presentCommit, presentContent } from '../git/present-git.ts'
import { presentLabel } from '../issues/present-issue.ts'
import { presentUser } from '../people/present-people.ts'
import { readId } from '../query.ts'
import { presentListedRepository } from '../repositories/present-repository.ts'
import { type Route, route, usualPage } from '../route.ts'
import { formatTime } from '../view.ts'
import { answerSearch, demandQuery, readDirection, wantsMatches } from './search-answer.ts'

const searching = { door: anyone, limit: 'search', resource: 'Search', pageSize: usualPage } as const
const bounds =
  'The newest 10,000 are looked at, the first 1,000 results shown; `…text-match` tells where the words are.'

/** The access that searching a repository's labels needs. */
const readingLabels = {
  level: 'read',
  signIn: false,
  writes: false,
  tokens: everyTokenKind,
  scopes: ['repo'],
  permissions: parsePermissions('issues=read; pull_requests=read'),
} as const

type Needs = {
  commitComments: CommitComments
  opening: Opening
  people: People
  search: Searches
  verifications: Verifications
}

export const otherSearchRoutes = ({
  commitComments,
  opening,
  people,
  search,
  verifications,
}: Needs): readonly Route[] => [
  route('GET /search/repositories', {
    ...searching,
    id: 'search-repositories',
    summary: `Repositories by parts of their names, descriptions and topics, and by qualifiers, of all that the caller may read. ${bounds}`,
    spansOrganisations: true,
    async handle(call) {
      const { actor, query, page, view } = call
      const order = {
        sort: query.oneOf('sort', ['stars', 'forks', 'updated', 'best'], 'best'),
        direction: readDirection(query),
      }
      const found = await search.repositories.search(actor, demandQuery(query), order, page)
      return answerSearch(
        call,
        found,
        (repository) => presentListedRepository(repository, view),
        ({ name, description, owner }) => ({
          type: 'Repository',
          url: `${view.base}/repos/${owner.login}/${name}`,
          texts: [
            { property: 'name', text: name },
            { property: 'description', text: description },
          ],
        }),
      )
    },
  }),
  route('GET /search/users', {
    ...searching,
    id: 'search-users',
    summary: `Users and organisations by parts of their logins and names, and by qualifiers. ${bounds}`,
    async handle(call) {
      const { query, page, view } = call
      const order = {
        sort: query.oneOf('sort', ['followers', 'repositories', 'joined', 'best'], 'best'),
        direction: readDirection(query),
      }
      const found = await search.people.search(demandQuery(query), order, page)
      return answerSearch(
        call,
        found,
        (person) => presentUser(person, view),
        ({ login, name }) => ({
          type: 'User',
          url: `${view.base}/users/${login}`,
          texts: [
            { property: 'login', text: login },
            { property: 'name', text: name },
          ],
        }),
      )
    },
  }),
  route('GET /search/labels', {
    ...searching,
    id: 'search-labels',
    summary: 'Labels of the repository `repository_id` by parts of their names and descriptions.',
    async handle(call) {
      const { actor, query, page, view } = call
      const text = demandQuery(query)
      const id = readId(query.text('repository_id'))
      if (id === 0) throw invalidField('repository_id', 'missing_field', 'Say whose labels: repository_id.')
      const repository = await opening.open(actor, { id }, readingLabels)
      const found = await search.labels.search(repository, text, readDirection(query), page)
      return answerSearch(
        call,
        found,
        (label) => presentLabel(label, repository, view),
        (label) => ({
          type: 'Label',
          url: presentLabel(label, repository, view).url,
          texts: [
            { property: 'name', text: label.name },
            { property: 'description', text: label.description },
          ],
        }),
      )
    },
  }),
  route('GET /search/code', {
    door: signedIn,
    tokens: everyTokenKind,
    limit: 'code_search',
    resource: 'Search',
    pageSize: usualPage,
    id: 'search-code',
    summary:
      'Files of default branches by words in them and by the qualifiers `repo`, `user`, `org`, `path`, `filename`, `extension`, `language`, `size`, `in`, `is` and `fork`, of all that the caller may read: in the ten repositories that fit and were pushed to last, for ten seconds, files of 384 KiB at most, the first 300 of each.',
    spansOrganisations: true,
    async handle(call) {
      const { actor, query, page, accept, view } = call
      const found = await search.code.search(actor, demandQuery(query), page, wantsMatches(accept))
      return answerSearch(
        call,
        found,
        ({ repository, commitSha, path, sha, size, language }) => {
          const shown = presentContent(repository, { path, sha, size, type: 'file' }, commitSha, view)
          const { name, url, git_url, html_url } = shown
          const place = { name, path, sha, url, git_url, html_url }
          const facts = { file_size: size, language: language ?? null }
          return { ...place, ...facts, repository: presentListedRepository(repository, view) }
        },
        ({ repository, commitSha, path, sha, size, text }) => ({
          type: 'FileContent',
          url: presentContent(repository, { path, sha, size, type: 'file' }, commitSha, view).url,
          texts: [
            { property: 'content', text: text ?? null },
            { property: 'path', text: path },
          ],
        }),
      )
    },
  }),
  route('GET /search/commits', {
    ...searching,
    id: 'search-commits',
    summary:
      'Commits of default branches by words of their messages and by qualifiers, of all that the caller may read: in the ten repositories that fit and were pushed to last, the newest 300 of each.',
    spansOrganisations: true,
    async handle(call) {
      const { actor, query, page, view } = call
      const order = {
        sort: query.oneOf('sort', ['author-date', 'committer-date'], 'committer-date'),
        direction: readDirection(query),
      }
      const found = await search.commits.search(actor, demandQuery(query), order, page)
      const facts = new Map(
        await Promise.all(
          [...Map.groupBy(found.items, ({ repository }) => repository)].map(async ([repository, group]) => {
            const commits = group.map(({ commit }) => commit)
            return [
              repository.id,
              await readCommitFacts({ commitComments, people, verifications }, repository, commits),
            ] as const
          }),
        ),
      )
      return answerSearch(
        call,
        found,
        ({ commit, repository }) => ({
          ...presentCommit(repository, commit, facts.get(repository.id)!, view),
          repository: presentListedRepository(repository, view),
        }),
        ({ commit, repository: { owner, name } }) => ({
          type: 'Commit',
          url: `${view.base}/repos/${owner.login}/${name}/commits/${commit.sha}`,
          texts: [{ property: 'message', text: commit.message }],
        }),
      )
    },
  }),
  route('GET /search/topics', {
    ...searching,
    id: 'search-topics',
    summary: `Topics of public repositories by parts of their names, the most frequent first. ${bounds}`,
    async handle(call) {
      const { query, page, view } = call
      const found = await search.topics.search(demandQuery(query), page)
      return answerSearch(
        call,
        found,
        ({ name, repositoryCount, createdAt, updatedAt }) => ({
          name,
          display_name: null,
          short_description: null,
          description: null,
          created_by: null,
          released: null,
          created_at: formatTime(createdAt),
          updated_at: formatTime(updatedAt),
          featured: false,
          curated: false,
          repository_count: repositoryCount,
        }),
        ({ name }) => ({
          type: 'Topic',
          url: `${view.base}/search/topics?q=${encodeURIComponent(name)}`,
          texts: [{ property: 'name', text: name }],
        }),
      )
    },
  }),
]
