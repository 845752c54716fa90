/** Takes a merged pull back by another one. */
import { queryGraphql } from '../api/graphql.ts'
import type { Pull } from '../api/issue-types.ts'
import { go } from '../app/location.ts'
import { useAct } from '../parts/form.tsx'
import { FailedAct } from '../parts/state.tsx'

type Answer = { readonly revertPullRequest: { readonly revertPullRequest: { readonly resourcePath: string } } }

const mutation = `mutation($input: RevertPullRequestInput!) {
  revertPullRequest(input: $input) { revertPullRequest { resourcePath } } }`

export function Revert({ pull }: { pull: Pull }) {
  const act = useAct()
  const revert = () =>
    act.run(async () => {
      const { revertPullRequest } = await queryGraphql<Answer>(mutation, { input: { pullRequestId: pull.node_id } })
      go(revertPullRequest.revertPullRequest.resourcePath)
    })
  return (
    <div class="row">
      <span class="grow soft">Its changes can be taken back by another pull request.</span>
      <button type="button" class="button tight" disabled={act.isBusy} onClick={() => void revert()}>
        Revert
      </button>
      <FailedAct act={act} />
    </div>
  )
}
