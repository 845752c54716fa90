/** The queue and the connected executors with their languages, live. */
import { useEffect } from 'preact/hooks'
import { watchAll } from '../api/live.ts'
import type { Executor, Queue } from '../api/operations.ts'
import { callAll, openAnswer } from '../api/rpc.ts'
import { useLoad } from '../app/load.ts'
import { languageName } from '../app/session.ts'
import { formatAgo, formatCount } from '../parts/figures.ts'
import { Heading } from '../parts/heading.tsx'
import { Only } from '../parts/only.tsx'
import { Empty, Ready } from '../parts/state.tsx'
import { When } from '../parts/when.tsx'
import { AdminTabs } from './admin-tabs.tsx'

export function Judging() {
  return (
    <Only who="admins" title="Queue and executors">
      <View />
    </Only>
  )
}

async function readJudging(): Promise<{ queue: Queue; executors: readonly Executor[] }> {
  const [queue, executors] = await callAll([
    ['get_queue', {}],
    ['get_executor_list', {}],
  ])
  return {
    queue: openAnswer<{ Queue: Queue }>(queue!).Queue,
    executors: openAnswer<{ ExecutorList: readonly Executor[] }>(executors!).ExecutorList,
  }
}

/** When a whole class submits at once, the list is read once, not thirty times. */
const pauseMs = 500

function View() {
  const loaded = useLoad('judging', readJudging)
  const { reload } = loaded
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = watchAll(() => {
      timer ??= setTimeout(() => {
        timer = undefined
        reload()
      }, pauseMs)
    })
    return () => {
      clearTimeout(timer)
      stop()
    }
  }, [reload])
  return (
    <>
      <Heading title="Queue and executors" note="Updates as submissions arrive and are judged.">
        <button type="button" class="button" onClick={reload}>
          Refresh
        </button>
      </Heading>
      <AdminTabs />
      <Ready of={loaded}>
        {({ queue, executors }) => (
          <div class="stack">
            <QueueFigures queue={queue} />
            <section class="card flush scroll" aria-labelledby="executors">
              <h2 id="executors" class="card-title">
                Executors
              </h2>
              {executors.length === 0 ? (
                <Empty title="No executor has connected yet">
                  <p>
                    Submissions wait until one connects: see <a href="/-/docs/executor">how to start one</a>.
                  </p>
                </Empty>
              ) : (
                <Executors list={executors} />
              )}
            </section>
          </div>
        )}
      </Ready>
    </>
  )
}

const QueueFigures = ({ queue }: { queue: Queue }) => (
  <section class="card" aria-labelledby="queue">
    <h2 id="queue">Queue</h2>
    <dl class="figures">
      <Figure
        name="waiting"
        value={`${formatCount(queue.WaitingSubmissionCount)}${queue.IsCountCut ? ' or more' : ''}`}
      />
      <Figure name="of these, rejudged" value={formatCount(queue.RejudgedSubmissionCount)} />
      <Figure name="being judged" value={formatCount(queue.ExecutingSubmissionCount)} />
      {queue.OldestSubmissionTime !== null && (
        <Figure name="oldest submitted" value={formatAgo(queue.OldestSubmissionTime)} />
      )}
    </dl>
    {queue.StrandedList.map(({ FeatureList, WaitingSubmissionCount }) => (
      <p key={FeatureList.join()} class="small">
        {formatCount(WaitingSubmissionCount)} can’t be judged, because no connected executor offers{' '}
        {FeatureList.join(' and ')}.
      </p>
    ))}
    {queue.LanguageList.length > 0 && (
      <p class="soft small">
        {queue.LanguageList.map(
          ({ Language, WaitingSubmissionCount }) => `${languageName(Language)}: ${formatCount(WaitingSubmissionCount)}`,
        ).join(' · ')}
      </p>
    )}
  </section>
)

const Figure = ({ name, value }: { name: string; value: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
)

const Executors = ({ list }: { list: readonly Executor[] }) => (
  <table class="table">
    <thead>
      <tr>
        <th scope="col">Executor</th>
        <th scope="col">State</th>
        <th scope="col" class="number">
          Judging
        </th>
        <th scope="col">Languages</th>
      </tr>
    </thead>
    <tbody>
      {list.map((one) => (
        <tr key={`${one.Account.ID} ${one.Name} ${one.FirstSeenTime}`}>
          <td>
            {one.Name || 'unnamed'}
            <br />
            <small class="soft">{one.Account.AccountName}</small>
          </td>
          <td>
            {one.IsConnected ? <span class="badge good">Connected</span> : <span class="badge">Disconnected</span>}
            <br />
            <small class="soft">
              seen <When at={one.LastSeenTime} />
            </small>
          </td>
          <td class="number">
            {one.ExecutingSubmissionCount} of {one.ParallelRunCount}
          </td>
          <td class="small">{one.LanguageList.map(({ Name }) => Name).join(', ') || 'not reported'}</td>
        </tr>
      ))}
    </tbody>
  </table>
)
