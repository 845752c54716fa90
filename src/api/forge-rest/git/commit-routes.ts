/** Read routes of commits, branches and tags. */

import type { Actor } from '../../../accounts/actor.ts'
import type { OpenRepository, Repository } from '../../../forge/access/repository.ts'
import type { CommitComments } from '../../../forge/commits/comments.ts'
import type { Protection } from '../../../forge/commits/protection.ts'
import { notFound } from '../../../forge/failures.ts'
import type { Commit } from '../../../forge/git/read/commit.ts'
import type { Comparing, PatchForm } from '../../../forge/git/read/comparing.ts'
import type { GitReading } from '../../../forge/git/read/git-reading.ts'
import { demandHistory } from '../../../forge/git/read/git-reading.ts'
import type { Insights } from '../../../forge/git/read/insights.ts'
import type { Ref } from '../../../forge/git/read/object-output.ts'
import type { Verifications } from '../../../forge/keys/signing/verifications.ts'
import type { People } from '../../../forge/people/people.ts'
import type { Forks } from '../../../forge/repositories/forks.ts'
import { Failure } from '../../../lib/failure.ts'
import { presentProtection } from '../commits/present-protection.ts'
import { readable } from '../doors.ts'
import { slice } from '../outcomes.ts'
import { presentUser } from '../people/present-people.ts'
import { list, noContent, ok, type RestAnswer, raw } from '../rest-answer.ts'
import { type Route, route, usualPage } from '../route.ts'
import {
  type CommitFacts,
  encodePath,
  placesOf,
  presentBranch,
  presentChanges,
  presentCommit,
  presentComparison,
  presentTag,
} from './present-git.ts'

const read = { door: readable, permission: 'contents=read' } as const

type FactNeeds = { commitComments: CommitComments; people: People; verifications: Verifications }

export async function readCommitFacts(
  { commitComments, people, verifications }: FactNeeds,
  repository: Repository,
  commits: readonly Commit[],
): Promise<CommitFacts> {
  const emails = commits.flatMap(({ author, committer }) => [author.email, committer.email])
  const shas = commits.map(({ sha }) => sha)
  const signed = commits.map((commit) => ({ ...commit, by: commit.committer }))
  const [found, commentCounts, verified] = await Promise.all([
    people.findByEmails(emails),
    commitComments.count(repository, shas),
    verifications.verify(signed),
  ])
  return { people: found, commentCounts, verifications: verified }
}

const maxFiles = 300
/** So many prefixes of an unknown name are tried, since each is a lookup in git. */
const maxNameParts = 4

/** `application/vnd.platform.diff` and the like: git's own text instead of JSON. */
export const readForm = (accept: string): PatchForm | undefined =>
  /\.(diff|patch)\b/.exec(accept)?.[1] as PatchForm | undefined
export const patchText = async (form: PatchForm, text: Promise<Buffer>): Promise<RestAnswer> =>
  raw(`application/vnd.platform.${form}; charset=utf-8`, await text)

/** An unknown path below an existing commit is an unknown route (404), not an invalid commit name. */
async function explainNoCommit(reading: GitReading, repository: Repository, name: string): Promise<Failure> {
  const slashes = [...name.matchAll(/\//g)].slice(0, maxNameParts).map(({ index }) => index)
  for (const at of slashes) if (await reading.resolve(repository, name.slice(0, at))) return notFound()
  return new Failure('invalid', 'no-commit', `No commit found for SHA: ${name}`)
}

/** A name of this repository, or `owner:branch` and `owner:repo:branch` of a fork that the caller may read. */
async function findEnd(
  { forks, reading }: { forks: Forks; reading: GitReading },
  actor: Actor,
  one: OpenRepository,
  text: string,
) {
  const parts = text.split(':')
  if (parts.length > 3) throw notFound()
  const [owner, name] = parts.length === 1 ? [one.owner.login, one.name] : parts.slice(0, -1)
  const repository = await forks.openInNetwork(actor, one, owner!, name)
  const sha = repository && (await reading.resolve(repository, parts.at(-1)!))
  if (!sha) throw notFound()
  return { repository, sha }
}

/**
 * `base...head` or `base..head`. Not by a regular expression: its time would grow with the square of the number of
 * dots.
 */
export function readRange(text: string): [] | [base: string, head: string] {
  const at = text.indexOf('..', 1)
  if (at < 0) return []
  const start = text[at + 2] === '.' && at + 3 < text.length ? at + 3 : at + 2
  return [text.slice(0, at), text.slice(start)]
}

type Needs = {
  commitComments: CommitComments
  comparing: Comparing
  forks: Forks
  insights: Insights
  people: People
  protection: Protection
  reading: GitReading
  verifications: Verifications
}

export const commitRoutes = ({
  commitComments,
  comparing,
  forks,
  insights,
  people,
  protection,
  reading,
  verifications,
}: Needs): readonly Route[] => [
  route('GET /repos/:owner/:repo/commits', {
    ...read,
    id: 'list-commits',
    summary: 'Lists the commits of a branch, a tag or a commit, newest first.',
    pageSize: usualPage,
    async handle({ target, query, page, view }) {
      const from = await reading.demandCommit(target, query.text('sha'))
      const addresses = async (name: string) => {
        const who = query.text(name)
        return who === undefined ? undefined : people.addressesOf(who)
      }
      const filter = {
        path: query.text('path'),
        author: await addresses('author'),
        committer: await addresses('committer'),
        since: query.time('since'),
        until: query.time('until'),
      }
      const found = await reading.log(target, from, filter, page)
      const facts = await readCommitFacts({ commitComments, people, verifications }, target, found.items)
      return list(found, (commit) => presentCommit(target, commit, facts, view))
    },
  }),
  route('GET /repos/:owner/:repo/commits/*', {
    ...read,
    id: 'get-a-commit',
    summary:
      'Shows a commit and its changes; with the media types `…sha`, `…diff` and `…patch` only its hash, or git’s text.',
    async handle({ target, params, page, accept, view }) {
      demandHistory(target)
      const sha = await reading.resolve(target, params['*'])
      if (!sha) throw await explainNoCommit(reading, target, params['*'])
      if (/\.sha\b/.test(accept)) return raw('text/plain; charset=utf-8', Buffer.from(sha))
      const form = readForm(accept)
      if (form) return patchText(form, comparing.changesAs(target, sha, form))
      const commit = await reading.commit(target, sha)
      const changes = await comparing.changes(target, sha)
      const facts = await readCommitFacts({ commitComments, people, verifications }, target, [commit])
      const { stats } = presentChanges(target, sha, changes, view)
      const start = page.offset === 0 ? 0 : (page.offset / page.limit) * maxFiles
      const { files } = presentChanges(target, sha, changes.slice(start, start + maxFiles), view)
      return ok({ ...presentCommit(target, commit, facts, view), stats, files })
    },
  }),
  route('GET /repos/:owner/:repo/compare/*', {
    ...read,
    id: 'compare-two-commits',
    summary:
      'Shows the commits and files that `{base}...{head}` adds to its base, or git’s text with `…diff` and `…patch`. Either can be in a fork: `owner:branch`, `owner:repo:branch`.',
    pageSize: { usual: 250, most: 250 },
    async handle({ actor, target, params, page, accept, view }) {
      const [from = '', to = ''] = readRange(params['*'])
      if (!from || !to) throw notFound()
      const base = await findEnd({ forks, reading }, actor, target, from)
      const head = await findEnd({ forks, reading }, actor, target, to)
      const form = readForm(accept)
      if (form) return patchText(form, comparing.compareAs(base, head, form))
      const found = await comparing.compare(base, head, page)
      const facts = {
        base: await readCommitFacts({ commitComments, people, verifications }, base.repository, [
          found.base,
          found.fork,
        ]),
        head: await readCommitFacts({ commitComments, people, verifications }, head.repository, found.commits),
      }
      return {
        status: 200,
        total: found.ahead,
        body: presentComparison(target, found, { from, to, base, head }, facts, view),
      }
    },
  }),
  route('GET /repos/:owner/:repo/branches', {
    ...read,
    id: 'list-branches',
    summary: 'Branches.',
    pageSize: usualPage,
    async handle({ target, page, query, view }) {
      const refs = await reading.refs(target, 'refs/heads/')
      const wanted = query.text('protected') === undefined ? undefined : query.flag('protected')
      const guarded = await protection.listProtected(target)
      const rulesOf = ({ name }: Ref) => guarded.get(name.slice(11))
      const chosen = wanted === undefined ? refs : refs.filter((ref) => (rulesOf(ref) !== undefined) === wanted)
      return list(slice(chosen, page), (ref) => {
        const rules = rulesOf(ref)
        const name = ref.name.slice(11)
        const shown = presentBranch(target, { name, sha: ref.sha, isProtected: rules !== undefined }, view)
        return { ...shown, ...presentProtection(target, name, rules, view) }
      })
    },
  }),
  route('GET /repos/:owner/:repo/branches/*', {
    ...read,
    id: 'get-a-branch',
    summary: 'A branch with its newest commit.',
    async handle({ target, params, view }) {
      const name = params['*']
      const refs = await reading.refs(target, 'refs/heads/')
      const ref = refs.find((each) => each.name === `refs/heads/${name}`)
      if (!ref) throw notFound()
      const commit = await reading.commit(target, ref.sha)
      const facts = await readCommitFacts({ commitComments, people, verifications }, target, [commit])
      const { url, html } = placesOf(target, view)
      const path = encodePath(name)
      const rules = await protection.find(target, name)
      return ok({
        ...presentBranch(target, { name, sha: ref.sha, isProtected: rules !== undefined }, view),
        commit: presentCommit(target, commit, facts, view),
        _links: { self: `${url}/branches/${path}`, html: `${html}/tree/${path}` },
        ...presentProtection(target, name, rules, view),
      })
    },
  }),
  route('GET /repos/:owner/:repo/tags', {
    ...read,
    id: 'list-repository-tags',
    summary: 'Tags, last name first.',
    permission: 'metadata=read',
    pageSize: usualPage,
    async handle({ target, page, view }) {
      const refs = await reading.refs(target, 'refs/tags/')
      const tags = refs.filter(({ target: { type } }) => type === 'commit').toReversed()
      return list(slice(tags, page), (ref) => presentTag(target, ref, view))
    },
  }),
  route('GET /repos/:owner/:repo/languages', {
    ...read,
    id: 'list-repository-languages',
    summary: 'Bytes of each language, by the names of files.',
    permission: 'metadata=read',
    handle: async ({ target }) => ok(await insights.languages(target)),
  }),
  route('GET /repos/:owner/:repo/contributors', {
    ...read,
    id: 'list-repository-contributors',
    summary: 'Lists the contributors to the default branch with their number of commits; 204 for an empty repository.',
    permission: 'metadata=read',
    pageSize: usualPage,
    async handle({ target, query, page, view }) {
      if (target.lastPushId === 0) return noContent()
      const everyone = await insights.contributors(target)
      const shown = query.flag('anon') ? everyone : everyone.filter(({ person }) => person)
      return list(slice(shown, page), ({ person, name, email, count }) => ({
        ...(person ? presentUser(person, view) : { email, name, type: 'Anonymous' }),
        contributions: count,
      }))
    },
  }),
]
