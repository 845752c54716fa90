/** Judging again: every submission to a problem, with what was before and what is after. */

import { useState } from 'preact/hooks'
import { plural } from '../../../src/lib/text/plural.ts'
import type { SubmissionSnippet } from '../../api/operations.ts'
import { call } from '../../api/rpc.ts'
import { useLoad } from '../../app/load.ts'
import type { ViewProps } from '../../app/view.ts'
import { ResultBadge } from '../../judge/badge.tsx'
import { finished } from '../../judge/results.ts'
import { useWatchedList } from '../../judge/watched-list.ts'
import { ask } from '../../parts/ask.tsx'
import { useAct } from '../../parts/form.tsx'
import { Heading } from '../../parts/heading.tsx'
import { Only } from '../../parts/only.tsx'
import { Empty, Failed, Ready } from '../../parts/state.tsx'
import { readSubmissions } from '../results/standings.ts'

export function Rejudge({ params }: ViewProps) {
  return (
    <Only who="setters" title="Rejudge">
      <View uuid={params.uuid!} />
    </Only>
  )
}

function View({ uuid }: { uuid: string }) {
  const problem = useLoad(`name ${uuid}`, async () => (await call('get_problem', { UUID: uuid })).Problem)
  const now = useLoad(`all of ${uuid}`, () => readSubmissions(uuid))
  const act = useAct()
  const [before, setBefore] = useState<ReadonlyMap<number, SubmissionSnippet>>()
  const { reload } = now
  useWatchedList(reload, 500, { isOff: !before })
  const start = () =>
    act.run(async () => {
      const list = now.value ?? []
      const text = `${plural(list.length, 'submission')} will be judged again, after all submissions that are waiting now.`
      if (!(await ask({ title: 'Rejudge all submissions?', text, action: 'Rejudge' }))) return
      setBefore(new Map(list.map((one) => [one.ID, one])))
      await call('rejudge_problem', { UUID: uuid })
      reload()
    })
  const list = now.value ?? []
  const done = list.filter(({ Status }) => Status === finished).length
  const changed = before
    ? list.filter((one) => one.Status === finished && before.get(one.ID)?.Result !== one.Result)
    : []
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
          {before && (
            <div class="card stack" role="status">
              <p>
                {done < list.length
                  ? `${done} of ${list.length} judged, ${changed.length} changed so far.`
                  : describeEnd(list.length, changed.length)}
              </p>
              {done < list.length && <progress aria-label="Judging" value={done} max={list.length} />}
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
                      {[...changed, ...list.filter((one) => !changed.includes(one))].slice(0, 200).map((one) => (
                        <tr key={one.ID}>
                          <td>
                            <a href={`/-/judge/submissions/${one.ID}`}>{one.ID}</a>
                          </td>
                          <td>
                            {one.Author.DisplayName} <small class="soft">{one.Author.AccountName}</small>
                          </td>
                          {before && (
                            <td>
                              <ResultBadge status={finished} result={before.get(one.ID)?.Result ?? 0} />
                            </td>
                          )}
                          <td>
                            <ResultBadge status={one.Status} result={one.Result} />
                          </td>
                        </tr>
                      ))}
                    </tbody>
                  </table>
                </div>
              )
            }
          </Ready>
        </>
      )}
    </Ready>
  )
}

function describeEnd(count: number, changed: number): string {
  const judged = count === 1 ? 'The submission is judged.' : `All ${count} submissions are judged.`
  if (changed === 0) return `${judged} ${count === 1 ? 'The result did not change.' : 'No result changed.'}`
  return `${judged} ${plural(changed, 'result')} changed.`
}
