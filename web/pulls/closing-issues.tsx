/** The issues that a pull closes when it is merged, in its side bar. */
import type { Repository } from '../api/forge-types.ts'
import { queryGraphql } from '../api/graphql.ts'
import type { Pull } from '../api/issue-types.ts'
import { useLoad } from '../app/load.ts'
import { StandingIcon } from '../issues/icons.tsx'

type ClosingIssue = {
  readonly number: number
  readonly title: string
  readonly state: 'OPEN' | 'CLOSED'
  readonly resourcePath: string
}
type Answer = {
  readonly repository: {
    readonly pullRequest: { readonly closingIssuesReferences: { readonly nodes: readonly ClosingIssue[] } }
  }
}

const query = `query($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) {
    closingIssuesReferences(first: 50) { nodes { number title state resourcePath } } } } }`

async function readClosing({ owner, name }: Repository, number: number): Promise<readonly ClosingIssue[]> {
  const { repository } = await queryGraphql<Answer>(query, { owner: owner.login, name, number })
  return repository.pullRequest.closingIssuesReferences.nodes
}

export function ClosingIssues({ pull, repository }: { pull: Pull; repository: Repository }) {
  const { number, body, state } = pull
  const found = useLoad(`closing ${repository.full_name}#${number} ${state} ${body}`, () =>
    readClosing(repository, number),
  )
  if (!found.value?.length) return null
  return (
    <section class="side-section">
      <h2>{pull.merged ? 'Issues this closed' : 'Issues this closes'}</h2>
      {found.value.map(({ number, title, state, resourcePath }) => (
        <p key={number} class="small side-line">
          <StandingIcon of={{ state: state === 'OPEN' ? 'open' : 'closed' }} />
          <a href={resourcePath}>
            {title} <span class="soft">#{number}</span>
          </a>
        </p>
      ))}
    </section>
  )
}
