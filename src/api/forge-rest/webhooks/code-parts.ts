/** Parts of payloads for pushes, branches, tags, releases and commit comments. */
import type { Commit, Signature } from '../../../forge/git/read/commit.ts'
import type { Release } from '../../../forge/releases/release.ts'
import { presentCommitComment } from '../commits/commit-comment-routes.ts'
import { presentStatus } from '../commits/status-routes.ts'
import { readCommitFacts } from '../git/commit-routes.ts'
import { placesOf, presentCommit } from '../git/present-git.ts'
import { presentRelease } from '../releases/present-release.ts'
import { formatTime } from '../view.ts'
import { type PartContext, type PayloadPart, presentHookRepository, revive } from './part.ts'

/** The most commits in a push payload, and the most file names of each. */
const mostCommits = 50
const mostFiles = 300
const isNone = (sha: string): boolean => /^0+$/.test(sha)
const shortName = (ref: string): string => ref.replace(/^refs\/(?:heads|tags)\//, '')

const presentAuthor = ({ name, email, date }: Signature) => ({ name, email, date: formatTime(date) })

async function presentPushed({ services, repository, view }: PartContext, commit: Commit) {
  const changes = (await services.comparing.changes(repository, commit.sha)).slice(0, mostFiles)
  const paths = (...statuses: string[]) =>
    changes.filter(({ status }) => statuses.includes(status)).map(({ path }) => path)
  return {
    id: commit.sha,
    tree_id: commit.tree,
    distinct: true,
    message: commit.message,
    timestamp: formatTime(commit.committer.date),
    url: `${placesOf(repository, view).html}/commit/${commit.sha}`,
    author: presentAuthor(commit.author),
    committer: presentAuthor(commit.committer),
    added: paths('added', 'copied'),
    removed: paths('removed'),
    modified: paths('modified', 'renamed', 'changed'),
  }
}

/** The pushed commits, oldest first; the newest of them if there are too many. */
async function listPushed({ services, repository }: PartContext, before: string, after: string): Promise<Commit[]> {
  const base = isNone(before) ? repository.defaultBranch : before
  const from = await services.reading.resolve(repository, base)
  if (from === undefined || from === after) {
    const [head] = await services.reading.commits(repository, [after])
    return isNone(before) && head ? [head] : []
  }
  const total = await services.comparing.countCommits(repository, from, after)
  const offset = Math.max(0, total - mostCommits)
  return services.comparing.commitsBetween(repository, from, after, { offset, limit: mostCommits })
}

const push: PayloadPart = async (context) => {
  const { services, repository, source, sender, view } = context
  const { ref, before, after } = source.ref!
  const { html } = placesOf(repository, view)
  const tip = isNone(after) ? undefined : await services.reading.resolve(repository, after)
  const commits = tip === undefined ? [] : await listPushed(context, before, tip)
  const shown = []
  for (const commit of commits) shown.push(await presentPushed(context, commit))
  const head = shown.find(({ id }) => id === tip) ?? (await headOf(context, tip))
  const { email } = await services.people.getById(sender.id)
  const isForced = !isNone(before) && tip !== undefined && !(await isAncestor(context, before, tip))
  const shownRepository = presentHookRepository(repository, view)
  return {
    ref,
    before,
    after,
    repository: {
      ...shownRepository,
      owner: { ...shownRepository.owner, name: repository.owner.login, email: null },
      created_at: seconds(repository.createdAt),
      pushed_at: seconds(repository.pushedAt),
      stargazers: shownRepository.stargazers_count,
      master_branch: repository.defaultBranch,
    },
    pusher: { name: sender.login, email },
    created: isNone(before),
    deleted: isNone(after),
    forced: isForced,
    base_ref: null,
    compare: `${html}/compare/${before.slice(0, 12)}...${after.slice(0, 12)}`,
    commits: shown,
    head_commit: head ?? null,
    ...(source.data.pushOptions && { push_options: source.data.pushOptions }),
  }
}

const seconds = (date: Date): number => Math.floor(date.getTime() / 1000)

async function headOf(context: PartContext, tip: string | undefined) {
  if (tip === undefined) return undefined
  const [commit] = await context.services.reading.commits(context.repository, [tip])
  return commit && presentPushed(context, commit)
}

const isAncestor = async ({ services, repository }: PartContext, before: string, after: string): Promise<boolean> => {
  const from = await services.reading.resolve(repository, before)
  return from !== undefined && (await services.comparing.countCommits(repository, after, from)) === 0
}

const refMembers = ({ source }: PartContext) => ({
  ref: shortName(source.ref!.ref),
  ref_type: source.ref!.ref.startsWith('refs/tags/') ? 'tag' : 'branch',
})

const create: PayloadPart = async (context) => ({
  ...refMembers(context),
  master_branch: context.repository.defaultBranch,
  description: context.repository.description,
  pusher_type: 'user',
})

const remove: PayloadPart = async (context) => ({ ...refMembers(context), pusher_type: 'user' })

const release: PayloadPart = async ({ services, repository, source, action, view }) => {
  const { gone, changes } = source.data
  const found = gone ? revive<Release>(gone.release) : await services.releases.get(repository, source.subjectId ?? 0)
  return {
    release: presentRelease(repository, found, view),
    ...(action === 'edited' && { changes: changes ?? {} }),
  }
}

/** The most branches listed, of those whose newest commit it is. */
const mostBranches = 10

const status: PayloadPart = async ({ services, repository, source, view }) => {
  const { sha } = source.data
  const found = await services.statuses.get(repository, sha, source.subjectId ?? 0)
  const [commit] = await services.reading.commits(repository, [sha])
  if (!commit) return undefined
  const refs = await services.reading.refs(repository, 'refs/heads/')
  const { url } = placesOf(repository, view)
  const shown = presentStatus(repository, found, view)
  return {
    ...{ id: shown.id, sha, name: `${repository.owner.login}/${repository.name}`, avatar_url: shown.avatar_url },
    ...{ target_url: shown.target_url, context: shown.context, description: shown.description, state: shown.state },
    commit: presentCommit(repository, commit, await readCommitFacts(services, repository, [commit]), view),
    branches: refs
      .filter((ref) => ref.sha === sha)
      .slice(0, mostBranches)
      .map(({ name }) => ({
        name: shortName(name),
        commit: { sha, url: `${url}/commits/${sha}` },
        protected: false,
      })),
    created_at: shown.created_at,
    updated_at: shown.updated_at,
  }
}

const commitComment: PayloadPart = async ({ services, repository, source, view }) => ({
  comment: presentCommitComment(repository, await services.commitComments.get(repository, source.subjectId ?? 0), view),
})

export const codeParts = {
  push,
  create,
  delete: remove,
  release,
  commit_comment: commitComment,
  status,
} as const satisfies Record<string, PayloadPart>
