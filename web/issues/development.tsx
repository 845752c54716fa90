/** What is being done about an issue, in its side bar: the pulls that close it, and the branches that were made for it. */
import type { Repository } from '../api/forge-types.ts'
import { queryGraphql } from '../api/graphql.ts'
import { useLoad } from '../app/load.ts'
import { codePath } from '../code/paths.ts'
import { StandingIcon } from './icons.tsx'

type Answer = {
  readonly repository: {
    readonly issue: {
      readonly closedByPullRequestsReferences: { readonly nodes: readonly ClosingPull[] }
      readonly linkedBranches: {
        readonly nodes: readonly { readonly id: string; readonly ref: Ref | null }[]
      }
    }
  }
}
type ClosingPull = {
  readonly number: number
  readonly title: string
  readonly state: 'OPEN' | 'CLOSED' | 'MERGED'
  readonly isDraft: boolean
  readonly resourcePath: string
}
type Ref = { readonly name: string; readonly repository: { readonly nameWithOwner: string } }

const query = `query($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) { issue(number: $number) {
    closedByPullRequestsReferences(first: 50) { nodes { number title state isDraft resourcePath } }
    linkedBranches(first: 100) { nodes { id ref { name repository { nameWithOwner } } } } } } }`

async function readDevelopment({ owner, name }: Repository, number: number) {
  const { repository } = await queryGraphql<Answer>(query, { owner: owner.login, name, number })
  const { closedByPullRequestsReferences: pulls, linkedBranches } = repository.issue
  return { pulls: pulls.nodes, branches: linkedBranches.nodes.flatMap(({ ref }) => ref ?? []) }
}

export function Development({ repository, number }: { repository: Repository; number: number }) {
  const found = useLoad(`development of ${repository.full_name}#${number}`, () => readDevelopment(repository, number))
  if (!found.value) return null
  const { pulls, branches } = found.value
  if (pulls.length + branches.length === 0) return null
  return (
    <section class="side-section">
      <h2>Development</h2>
      {pulls.map(({ number, title, state, isDraft, resourcePath }) => (
        <p key={number} class="small side-line">
          <StandingIcon
            of={{
              state: state === 'OPEN' ? 'open' : 'closed',
              draft: isDraft,
              pull_request: { merged_at: state === 'MERGED' ? 'merged' : null },
            }}
          />
          <a href={resourcePath}>
            {title} <span class="soft">#{number}</span>
          </a>
        </p>
      ))}
      {branches.map(({ name, repository: { nameWithOwner } }) => (
        <p key={`${nameWithOwner} ${name}`} class="small">
          <a href={codePath({ full_name: nameWithOwner }, 'tree', name)}>
            {nameWithOwner === repository.full_name ? name : `${nameWithOwner}:${name}`}
          </a>
        </p>
      ))}
    </section>
  )
}
