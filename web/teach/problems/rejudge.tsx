/** Judging again: every submission to a problem, with what was before and what is after. */

import { useState } from 'preact/hooks'
import { plural } from '../../../src/lib/text/plural.ts'
import type { SubmissionSnippet } from '../../api/operations.ts'
import { call } from '../../api/rpc.ts'
import { useLoad } from '../../app/load.ts'
import { useSession } from '../../app/session.ts'
import type { ViewProps } from '../../app/view.ts'
import { ResultBadge } from '../../judge/badge.tsx'
import { Points } from '../../judge/points.tsx'
import { finished } from '../../judge/results.ts'
import { useWatchedList } from '../../judge/watched-list.ts'
import { ask } from '../../parts/ask.tsx'
import { useAct } from '../../parts/form.tsx'
import { Heading } from '../../parts/heading.tsx'
import { Only } from '../../parts/only.tsx'
import { Empty, Failed, Ready } from '../../parts/state.tsx'
import { When } from '../../parts/when.tsx'
import { readSubmissions } from '../results/standings.ts'
import { compareResults, keepResults, pickResults, type ResultsBefore, readResults } from './results-before.ts'

const mostShown = 200

export function Rejudge({ params }: ViewProps) {
  return (
    <Only who="setters" title="Rejudge">
      <View uuid={params.uuid!} />
    </Only>
  )
}

function View({ uuid }: { uuid: string }) {
  const accountId = useSession().account!.ID
  const problem = useLoad(`name ${uuid}`, async () => (await call('get_problem', { UUID: uuid })).Problem)
  const now = useLoad(`all of ${uuid}`, () => readSubmissions(uuid))
  const act = useAct()
  const [before, setBefore] = useState(() => readResults(accountId, uuid))
  const { reload } = now
  useWatchedList(reload, 500, { isOff: !before })
  const begin = (results: ResultsBefore) => {
    keepResults(accountId, uuid, results)
    setBefore(results)
  }
  const start = () =>
    act.run(async () => {
      const byId = pickResults(await readSubmissions(uuid))
      const text = `${plural(byId.size, 'submission')} will be judged again, after all submissions that are waiting now.`
      if (!(await ask({ title: 'Rejudge all submissions?', text, action: 'Rejudge' }))) return
      const results = { startedAt: Date.now(), count: null, byId }
      begin(results)
      const { RejudgedSubmissionCount } = await call('rejudge_problem', { UUID: uuid })
      begin({ ...results, count: RejudgedSubmissionCount })
      reload()
    })
  const list = now.value ?? []
  const { judged, total, changed } = before
    ? compareResults(list, before)
    : { judged: 0, total: 0, changed: [] as readonly SubmissionSnippet[] }
  return (
    <Ready of={problem}>
      {({ DisplayName }) => (
        <>
          <Heading title={`Rejudge ${DisplayName}`} note="Use this after you changed tests or limits.">
            <a class="button" href={`/-/judge/problems/${uuid}`}>
              View problem
            </a>
            <button
              type="button"
              class="button main"
              disabled={act.isBusy || list.length === 0}
              onClick={() => void start()}
            >
              Rejudge all
            </button>
          </Heading>
          {act.error !== undefined && <Failed error={act.error} />}
          {before && now.value && (
            <div class="card stack" role="status">
              <p>
                {judged < total
                  ? `${judged} of ${total} judged, ${changed.length} changed so far.`
                  : describeEnd(total, changed.length)}{' '}
                <span class="soft small">
                  Rejudged <When at={before.startedAt} />
                </span>
              </p>
              {judged < total && <progress aria-label="Judging" value={judged} max={total} />}
            </div>
          )}
          <br />
          <Ready of={now}>
            {() =>
              list.length === 0 ? (
                <div class="card">
                  <Empty title="Nobody has submitted to this problem yet" />
                </div>
              ) : (
                <Results
                  list={[...changed, ...list.filter((one) => !changed.includes(one))].slice(0, mostShown)}
                  before={before}
                />
              )
            }
          </Ready>
        </>
      )}
    </Ready>
  )
}

type ResultsProps = { readonly list: readonly SubmissionSnippet[]; readonly before: ResultsBefore | undefined }

const Results = ({ list, before }: ResultsProps) => (
  <div class="card flush scroll">
    <table class="table">
      <thead>
        <tr>
          <th scope="col">No.</th>
          <th scope="col">By</th>
          {before && <th scope="col">Before</th>}
          <th scope="col">{before ? 'After' : 'Result'}</th>
        </tr>
      </thead>
      <tbody>
        {list.map(({ ID, Author, Status, Result, Score, MaximumScore }) => {
          const old = before?.byId.get(ID)
          return (
            <tr key={ID}>
              <td>
                <a href={`/-/judge/submissions/${ID}`}>{ID}</a>
              </td>
              <td>
                {Author.DisplayName} <small class="soft">{Author.AccountName}</small>
              </td>
              {before && (
                <td>
                  {old ? (
                    <>
                      <ResultBadge status={finished} result={old.Result} />{' '}
                      <Points score={old.Score} maximum={old.MaximumScore} />
                    </>
                  ) : (
                    <span class="soft">not judged</span>
                  )}
                </td>
              )}
              <td>
                <ResultBadge status={Status} result={Result} /> <Points score={Score} maximum={MaximumScore} />
              </td>
            </tr>
          )
        })}
      </tbody>
    </table>
  </div>
)

function describeEnd(count: number, changed: number): string {
  const judged = count === 1 ? 'The submission is judged.' : `All ${count} submissions are judged.`
  if (changed === 0) return `${judged} ${count === 1 ? 'The result did not change.' : 'No result changed.'}`
  return `${judged} ${plural(changed, 'result')} changed.`
}
