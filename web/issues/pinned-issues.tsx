/** The issues that are pinned to the top of a repository's list. */
import type { Repository } from '../api/forge-types.ts'
import { queryGraphql } from '../api/graphql.ts'
import type { Issue } from '../api/issue-types.ts'
import { useLoad } from '../app/load.ts'
import { When } from '../parts/when.tsx'
import { StandingIcon } from './icons.tsx'

type Pinned = {
  readonly number: number
  readonly title: string
  readonly state: 'OPEN' | 'CLOSED'
  readonly stateReason: string | null
  readonly resourcePath: string
  readonly createdAt: string
  readonly author: { readonly login: string } | null
}
type Answer = {
  readonly repository: { readonly pinnedIssues: { readonly nodes: readonly { readonly issue: Pinned }[] } }
}

const query = `query($owner: String!, $name: String!) {
  repository(owner: $owner, name: $name) { pinnedIssues(first: 3) {
    nodes { issue { number title state stateReason resourcePath createdAt author { login } } } } } }`

async function readPinned({ owner, name }: Repository): Promise<readonly Pinned[]> {
  const { repository } = await queryGraphql<Answer>(query, { owner: owner.login, name })
  return repository.pinnedIssues.nodes.map(({ issue }) => issue)
}

export function PinnedIssues({ repository }: { repository: Repository }) {
  const found = useLoad(`pinned in ${repository.full_name}`, () => readPinned(repository))
  if (!found.value?.length) return null
  return (
    <section class="pinned-issues" aria-label="Pinned issues">
      {found.value.map((issue) => (
        <article key={issue.number} class="card">
          <p class="row">
            <StandingIcon
              of={{
                state: issue.state === 'OPEN' ? 'open' : 'closed',
                state_reason: (issue.stateReason?.toLowerCase() ?? null) as Issue['state_reason'],
              }}
            />
            <a class="strong grow" href={issue.resourcePath}>
              {issue.title}
            </a>
            <span class="badge">Pinned</span>
          </p>
          <p class="small soft">
            #{issue.number} opened <When at={Date.parse(issue.createdAt)} /> by{' '}
            <a href={`/${issue.author?.login ?? 'ghost'}`}>{issue.author?.login ?? 'ghost'}</a>
          </p>
        </article>
      ))}
    </section>
  )
}
