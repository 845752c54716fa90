/** Whether a pull can be merged, what is still required, and the merge itself, in three ways. */
import { useEffect } from 'preact/hooks'
import { plural } from '../../src/lib/text/plural.ts'
import { send } from '../api/forge.ts'
import type { Repository } from '../api/forge-types.ts'
import type { Pull, Review } from '../api/issue-types.ts'
import { useSession } from '../app/session.ts'
import { rightsOn } from '../issues/issue-side.tsx'
import { CheckList } from '../parts/check-list.tsx'
import { useAct } from '../parts/form.tsx'
import { FailedAct } from '../parts/state.tsx'
import { AutoMergeNote } from './auto-merge.tsx'
import { Conflicts } from './conflicts.tsx'
import { HeadBranch } from './head-branch.tsx'
import { MergeForm } from './merge-form.tsx'
import type { Checks } from './pull-data.ts'
import { Revert } from './revert.tsx'

type Props = {
  readonly pull: Pull
  readonly repository: Repository
  readonly checks: Checks | undefined
  readonly reviews: readonly Review[]
  reload(): void
}

/** The server has not tried yet whether it can be merged. */
const againMs = 1_500

export function MergeBox(props: Props) {
  const { pull, reload } = props
  const isUnknown = pull.state === 'open' && pull.mergeable === null
  useEffect(() => {
    if (!isUnknown) return
    const timer = setTimeout(reload, againMs)
    return () => clearTimeout(timer)
  }, [isUnknown, pull])
  return (
    <section class="card flush merge-box" aria-label="Merging">
      <h2 class="hidden-text">Merging</h2>
      {pull.merged || pull.state === 'closed' ? <Over {...props} /> : <Open {...props} />}
    </section>
  )
}

const Over = ({ pull, repository, reload }: Props) => (
  <div class="merge-part">
    <p>
      <b>{pull.merged ? 'This pull request is merged.' : 'This pull request is closed.'}</b>
    </p>
    <HeadBranch pull={pull} repository={repository} reload={reload} />
    {pull.merged && rightsOn(repository).mayWrite && <Revert pull={pull} />}
  </div>
)

function Open({ pull, repository, checks, reviews, reload }: Props) {
  const { account } = useSession()
  const { mayWrite } = rightsOn(repository)
  const isAuthor = account !== undefined && pull.user?.login === account.AccountName
  return (
    <>
      <Reviews pull={pull} checks={checks} reviews={reviews} />
      {checks && checks.statuses.length + checks.rules.contexts.length > 0 && (
        <div class="merge-part">
          <CheckList statuses={checks.statuses} required={checks.rules.contexts} isFolded />
        </div>
      )}
      <Standing pull={pull} repository={repository} mayUpdate={mayWrite || isAuthor} reload={reload} />
      <AutoMergeNote pull={pull} repository={repository} mayWrite={mayWrite} reload={reload} />
      {(mayWrite || isAuthor) && <DraftSwitch pull={pull} repository={repository} reload={reload} />}
      {mayWrite ? (
        <MergeForm pull={pull} repository={repository} reload={reload} />
      ) : (
        <p class="merge-part soft small">Only people with write access to this repository can merge.</p>
      )}
    </>
  )
}

function Reviews({ pull, checks, reviews }: Pick<Props, 'pull' | 'checks' | 'reviews'>) {
  const approvals = reviews.filter(({ state }) => state === 'APPROVED').length
  const against = reviews.filter(({ state }) => state === 'CHANGES_REQUESTED')
  const needed = checks?.rules.approvals ?? 0
  const isRequired = checks?.rules.decision === 'REVIEW_REQUIRED'
  if (approvals + against.length + needed === 0 && !isRequired && pull.requested_reviewers.length === 0) return null
  return (
    <div class="merge-part">
      {against.length > 0 && (
        <p class="bad-text">
          <b>Changes are requested</b> by {against.map(({ user }) => user?.login ?? 'ghost').join(', ')}.
        </p>
      )}
      {approvals > 0 && (
        <p class="good-text">
          <b>{plural(approvals, 'approval')}</b>
        </p>
      )}
      {isRequired && (
        <p>
          <b>A review is required:</b> at least {plural(Math.max(1, needed), 'approval')} from people with write access.
        </p>
      )}
      {pull.requested_reviewers.length > 0 && (
        <p class="soft">Awaiting {pull.requested_reviewers.map(({ login }) => login).join(', ')}.</p>
      )}
    </div>
  )
}

const sentences: Readonly<Record<string, readonly [title: string, text: string, look: string]>> = {
  clean: ['This can be merged.', 'There are no conflicts with the base branch.', 'good-text'],
  has_hooks: ['This can be merged.', 'There are no conflicts with the base branch.', 'good-text'],
  unstable: ['This can be merged, but not all checks have passed.', 'There are no conflicts with the base branch.', ''],
  behind: [
    'This branch is out of date with its base.',
    'Merge the latest changes from the base branch into it first.',
    '',
  ],
  blocked: ['Merging is blocked.', 'The rules of the base branch are not met yet.', 'bad-text'],
  draft: ['This pull request is a draft.', 'Drafts can’t be merged.', ''],
  dirty: ['This branch has conflicts that must be resolved.', '', 'bad-text'],
  unknown: ['Checking whether this can be merged …', '', ''],
}

type StandingProps = { pull: Pull; repository: Repository; mayUpdate: boolean; reload(): void }

function Standing({ pull, repository, mayUpdate, reload }: StandingProps) {
  const act = useAct()
  const [title, text, look] = sentences[pull.mergeable_state] ?? sentences.unknown!
  const update = () =>
    act.run(async () => {
      await send('PUT', `/repos/${pull.base.repo?.full_name}/pulls/${pull.number}/update-branch`, {
        expected_head_sha: pull.head.sha,
      })
      reload()
    })
  return (
    <div class="merge-part" role="status">
      <p class={look}>
        <b>{title}</b>
      </p>
      {text && <p class="soft">{text}</p>}
      {pull.mergeable_state === 'dirty' && <Conflicts pull={pull} repository={repository} />}
      {pull.mergeable_state === 'behind' && mayUpdate && (
        <button type="button" class="button tight" disabled={act.isBusy} onClick={() => void update()}>
          Update branch
        </button>
      )}
      <FailedAct act={act} />
    </div>
  )
}

function DraftSwitch({ pull, repository, reload }: { pull: Pull; repository: Repository; reload(): void }) {
  const act = useAct()
  const change = () =>
    act.run(async () => {
      await send('PATCH', `/repos/${repository.full_name}/pulls/${pull.number}`, { draft: !pull.draft })
      reload()
    })
  return (
    <div class="merge-part row">
      {pull.draft && <span class="grow soft">Mark it as ready when others can review and merge it.</span>}
      <button type="button" class="button tight" disabled={act.isBusy} onClick={() => void change()}>
        {pull.draft ? 'Ready for review' : 'Convert to draft'}
      </button>
      <FailedAct act={act} />
    </div>
  )
}
