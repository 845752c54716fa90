/** The branches that were made for an issue, in its side bar. */
import type { Repository } from '../api/forge-types.ts'
import { queryGraphql } from '../api/graphql.ts'
import { useLoad } from '../app/load.ts'
import { codePath } from '../code/paths.ts'

type Answer = {
  readonly repository: {
    readonly issue: {
      readonly linkedBranches: {
        readonly nodes: readonly { readonly id: string; readonly ref: Ref | null }[]
      }
    }
  }
}
type Ref = { readonly name: string; readonly repository: { readonly nameWithOwner: string } }

const query = `query($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) { issue(number: $number) {
    linkedBranches(first: 100) { nodes { id ref { name repository { nameWithOwner } } } } } } }`

async function readBranches({ owner, name }: Repository, number: number): Promise<readonly Ref[]> {
  const { repository } = await queryGraphql<Answer>(query, { owner: owner.login, name, number })
  return repository.issue.linkedBranches.nodes.flatMap(({ ref }) => ref ?? [])
}

export function LinkedBranches({ repository, number }: { repository: Repository; number: number }) {
  const found = useLoad(`branches of ${repository.full_name}#${number}`, () => readBranches(repository, number))
  if (!found.value?.length) return null
  return (
    <section class="side-section">
      <h2>Branches</h2>
      {found.value.map(({ name, repository: { nameWithOwner } }) => (
        <p key={`${nameWithOwner} ${name}`} class="small">
          <a href={codePath({ full_name: nameWithOwner }, 'tree', name)}>
            {nameWithOwner === repository.full_name ? name : `${nameWithOwner}:${name}`}
          </a>
        </p>
      ))}
    </section>
  )
}
