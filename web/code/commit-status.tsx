/** The statuses of commits: in full for one commit, as a small badge in a list. */
import { plural } from '../../src/lib/text/plural.ts'
import { read, repositoryPath } from '../api/forge.ts'
import type { Commit, Repository, Status } from '../api/forge-types.ts'
import { queryGraphql } from '../api/graphql.ts'
import { watchRepository } from '../api/live.ts'
import { useLoad } from '../app/load.ts'
import { useSession } from '../app/session.ts'
import { useLive } from '../issues/use-live.ts'
import { CheckList, summarise } from '../parts/check-list.tsx'

type Combined = { readonly statuses: readonly Status[]; readonly total_count: number }

/** Shows nothing if there are no statuses or they can't be read. */
export function CommitChecks({ repository, sha }: { repository: Repository; sha: string }) {
  const path = repositoryPath(repository.owner.login, repository.name, 'commits', sha, 'status')
  const loaded = useLoad(`status of ${repository.full_name} ${sha}`, () => read<Combined>(path, { per_page: 100 }))
  useLive((listener) => watchRepository(repository.id, listener), loaded.reload, 500, repository.id)
  const { statuses, total_count: total } = loaded.value ?? { statuses: [], total_count: 0 }
  if (statuses.length === 0) return null
  return (
    <section class="card below" aria-labelledby="checks">
      <h2 id="checks">{summarise(statuses, [])}</h2>
      <CheckList statuses={statuses} required={[]} />
      {total > statuses.length && <p class="soft small">{plural(total - statuses.length, 'more check')} not shown.</p>}
    </section>
  )
}

type State = Status['state']
type Rollup = {
  readonly state: string
  readonly contexts: {
    readonly totalCount: number
    readonly nodes: readonly { readonly description: string | null; readonly targetUrl: string | null }[]
  }
}
type Answer = { readonly repository: Readonly<Record<string, { readonly statusCheckRollup: Rollup | null } | null>> }

/** A badge in a list: the combined state and a link to the details. */
export type CommitState = { readonly state: State; readonly words: string; readonly address: string | undefined }

const rollup =
  'statusCheckRollup { state contexts(first: 1) { totalCount nodes { ... on StatusContext { description targetUrl } } } }'

/** Keyed by commit hash. GraphQL reads many commits at once, for signed-in people only. */
export function useCommitStates(repository: Repository, commits: readonly Commit[]): ReadonlyMap<string, CommitState> {
  const { account } = useSession()
  const names = account ? commits.map(({ sha }) => sha) : []
  const loaded = useLoad(`states ${repository.full_name} ${account?.ID} ${names.join(' ')}`, async () => {
    if (names.length === 0) return new Map<string, CommitState>()
    const parts = names.map((sha, at) => `c${at}: object(oid: "${sha}") { ... on Commit { ${rollup} } }`)
    const question = `query States($owner: String!, $name: String!) { repository(owner: $owner, name: $name) { ${parts.join(' ')} } }`
    const asked = { owner: repository.owner.login, name: repository.name }
    return readStates(names, await queryGraphql<Answer>(question, asked))
  })
  return loaded.value ?? none
}

const none: ReadonlyMap<string, CommitState> = new Map()

function readStates(names: readonly string[], { repository }: Answer): Map<string, CommitState> {
  const states = new Map<string, CommitState>()
  for (const [at, sha] of names.entries()) {
    const found = repository[`c${at}`]?.statusCheckRollup
    if (!found) continue
    const { totalCount, nodes } = found.contexts
    const only = totalCount === 1 ? nodes[0] : undefined
    const words = only?.description || (totalCount === 1 ? '1 check' : `${totalCount} checks`)
    states.set(sha, { state: found.state.toLowerCase() as State, words, address: only?.targetUrl ?? undefined })
  }
  return states
}

const looks: Readonly<Record<State, readonly [tone: string, word: string]>> = {
  success: ['good', 'Passed'],
  failure: ['bad', 'Failed'],
  error: ['bad', 'Error'],
  pending: ['wait', 'Running'],
}

/** Leads to the address of the one check, or else to the commit, which has them all. */
export function StateBadge({ of: { state, words, address }, commitPath }: { of: CommitState; commitPath: string }) {
  const [tone, word] = looks[state]
  const isWeb = address !== undefined && /^https?:\/\//.test(address)
  return (
    <a
      class={`badge ${tone}`}
      href={isWeb ? address : commitPath}
      title={words}
      aria-label={`${word}: ${words}`}
      {...(isWeb && { rel: 'noreferrer nofollow' })}
    >
      {word}
    </a>
  )
}
