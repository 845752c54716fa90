/** The state of a submission in one word. */
import { executing, finished, resultName, toneOf } from './results.ts'

export function ResultBadge({ status, result }: { status: number; result: number }) {
  if (status === finished) return <span class={`badge ${toneOf(result)}`}>{resultName(result)}</span>
  return (
    <span class="badge wait">
      <span class="spinner" aria-hidden="true" />
      {status === executing ? 'Judging' : 'Waiting'}
    </span>
  )
}
