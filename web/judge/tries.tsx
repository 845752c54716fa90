/** One's earlier tries at a problem. */
import { useEffect } from 'preact/hooks'
import { watchSubmission } from '../api/live.ts'
import { call } from '../api/rpc.ts'
import { useLoad } from '../app/load.ts'
import { languageName, useSession } from '../app/session.ts'
import { When } from '../parts/when.tsx'
import { ResultBadge } from './badge.tsx'
import { Points } from './points.tsx'
import { finished } from './results.ts'

type Props = {
  readonly problem: string
  /** The submission made on this page, whose verdict is shown beside the list. */
  readonly latest: number | undefined
  /** The last one that is finished. */
  readonly judged: number | undefined
}

export function Tries({ problem, latest, judged }: Props) {
  const AccountID = useSession().account!.ID
  const params = { AccountID, ProblemUUID: problem, Offset: 0, Limit: 10 }
  const loaded = useLoad(`tries ${problem}`, () => call('get_account_problem_submission_snippet_list', params))
  const list = loaded.value?.SubmissionSnippetList ?? []
  const waiting = list.find(({ ID, Status }) => ID !== latest && Status !== finished)?.ID
  const { reload } = loaded
  useEffect(() => (waiting === undefined ? undefined : watchSubmission(waiting, reload)), [waiting, reload])
  // For the latest one, the list shows only waiting and the result, not each test: those reads would delay the verdict.
  useEffect(() => {
    if (latest !== undefined) reload()
  }, [latest, judged, reload])
  if (list.length === 0) return null
  return (
    <div class="card flush">
      <h2 class="card-title">My submissions to this problem</h2>
      <table class="table small">
        <tbody>
          {list.map((one) => (
            <tr key={one.ID}>
              <td>
                <a href={`/-/judge/submissions/${one.ID}`}>
                  <ResultBadge status={one.Status} result={one.Result} />
                </a>{' '}
                <Points score={one.Score} maximum={one.MaximumScore} />
              </td>
              <td class="soft">{languageName(one.Language)}</td>
              <td class="soft number">
                <When at={one.CreatedTime} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
