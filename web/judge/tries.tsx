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

export function Tries({ problem, latest }: { problem: string; latest: number | undefined }) {
  const AccountID = useSession().account!.ID
  const params = { AccountID, ProblemUUID: problem, Offset: 0, Limit: 10 }
  const loaded = useLoad(`tries ${problem}`, () => call('get_account_problem_submission_snippet_list', params))
  const list = loaded.value?.SubmissionSnippetList ?? []
  const waiting =
    list.find(({ Status }) => Status !== finished)?.ID ?? (list.some(({ ID }) => ID === latest) ? undefined : latest)
  const { reload } = loaded
  useEffect(() => (waiting === undefined ? undefined : watchSubmission(waiting, reload)), [waiting, reload])
  if (list.length === 0) return null
  return (
    <div class="card flush">
      <h2 class="card-title">My tries</h2>
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
