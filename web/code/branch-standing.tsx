/** How a branch stands to the default branch, with the way to a pull request; and branches that one has just pushed. */
import { plural } from '../../src/lib/text/plural.ts'
import { read, readList, repositoryPath } from '../api/forge.ts'
import type { Repository, User } from '../api/forge-types.ts'
import { useLoad } from '../app/load.ts'
import { useSession } from '../app/session.ts'
import { When } from '../parts/when.tsx'
import { codePath } from './paths.ts'
import type { CodePlace } from './place.ts'

type Standing = { readonly ahead_by: number; readonly behind_by: number }

export function BranchStanding({ repository, place }: { repository: Repository; place: CodePlace }) {
  const { owner, name, default_branch: usual } = repository
  const isOther = place.kind === 'branch' && place.ref !== usual
  const range = `${usual}...${place.ref}`
  const standing = useLoad(`standing ${repository.full_name} ${isOther && range}`, async () =>
    isOther ? read<Standing>(repositoryPath(owner.login, name, 'compare', range), { per_page: 1 }) : undefined,
  )
  if (!standing.value) return null
  const { ahead_by: ahead, behind_by: behind } = standing.value
  const parts = [
    ...(ahead > 0 ? [`${plural(ahead, 'commit')} ahead of`] : []),
    ...(behind > 0 ? [`${plural(behind, 'commit')} behind`] : []),
  ]
  return (
    <p class="row spread branch-standing small">
      <span>
        {parts.length === 0 ? 'This branch has the same commits as ' : `This branch is ${parts.join(' and ')} `}
        <bdi class="branch-name">{usual}</bdi>.
      </span>
      {ahead > 0 && <a href={codePath(repository, 'compare', range)}>Compare and open a pull request</a>}
    </p>
  )
}

type FeedEvent = {
  readonly type: string
  readonly actor: User
  readonly created_at: string
  readonly payload: { readonly ref?: string; readonly ref_type?: string; readonly full_ref?: string }
}

type Pushed = { readonly branch: string; readonly at: number }

const recentMs = 2 * 60 * 60_000
const mostShown = 2

/** Newest first, without those that a pull was opened from. */
async function readPushed({ owner, name, default_branch: usual }: Repository, login: string): Promise<Pushed[]> {
  const path = (...rest: string[]) => repositoryPath(owner.login, name, ...rest)
  const { items } = await readList<FeedEvent>(path('events'), { per_page: 50 })
  const found = new Map<string, number>()
  for (const { type, actor, created_at, payload } of items) {
    const ref = type === 'PushEvent' ? payload.ref : type === 'CreateEvent' ? payload.full_ref : undefined
    const at = Date.parse(created_at)
    if (actor.login !== login || !ref?.startsWith('refs/heads/') || at < Date.now() - recentMs) continue
    const branch = ref.slice('refs/heads/'.length)
    if (branch !== usual && !found.has(branch)) found.set(branch, at)
  }
  const candidates = [...found].slice(0, mostShown + 1).map(([branch, at]) => ({ branch, at }))
  const standing = await Promise.all(
    candidates.map(async ({ branch }) => {
      const head = `${owner.login}:${branch}`
      const [pulls, refs] = await Promise.all([
        readList(path('pulls'), { head, state: 'all', per_page: 1 }),
        readList<{ readonly ref: string }>(path('git', 'matching-refs', `heads/${branch}`), { per_page: 100 }),
      ])
      return pulls.items.length === 0 && refs.items.some(({ ref }) => ref === `refs/heads/${branch}`)
    }),
  )
  return candidates.filter((_, index) => standing[index]).slice(0, mostShown)
}

export function RecentPushes({ repository }: { repository: Repository }) {
  const { account } = useSession()
  const login = repository.permissions?.push && !repository.archived ? account?.AccountName : undefined
  const pushed = useLoad(`recent pushes ${repository.full_name} ${login}`, async () =>
    login ? readPushed(repository, login) : [],
  )
  return (
    <>
      {pushed.value?.map(({ branch, at }) => (
        <p key={branch} class="notice row spread">
          <span>
            You pushed to <bdi class="branch-name">{branch}</bdi> <When at={at} />.
          </span>
          <a class="button tight" href={codePath(repository, 'compare', `${repository.default_branch}...${branch}`)}>
            Open a pull request
          </a>
        </p>
      ))}
    </>
  )
}
