/** The checks of a commit with their results, and the required ones that are still missing. */
import { plural } from '../../src/lib/text/plural.ts'
import type { Status } from '../api/forge-types.ts'

const looks: Readonly<Record<Status['state'], readonly [sign: string, words: string, look: string]>> = {
  success: ['✓', 'passed', 'good-text'],
  failure: ['✗', 'failed', 'bad-text'],
  error: ['✗', 'ended with an error', 'bad-text'],
  pending: ['•', 'is running', 'wait-text'],
}

type Props = {
  readonly statuses: readonly Status[]
  readonly required: readonly string[]
  /** Only the summary is shown until it is opened. */
  readonly isFolded?: boolean
}

export function summarise(statuses: readonly Status[], required: readonly string[]): string {
  const missing = required.filter((name) => !statuses.some(({ context }) => context === name))
  const failed = statuses.filter(({ state }) => state === 'failure' || state === 'error').length
  const running = statuses.filter(({ state }) => state === 'pending').length + missing.length
  if (failed > 0) return `${plural(failed, 'check')} failed`
  if (running > 0) return `${plural(running, 'check')} not finished`
  return statuses.length === 1 ? 'The check has passed' : `All ${statuses.length} checks have passed`
}

export function CheckList({ statuses, required, isFolded = false }: Props) {
  const missing = required.filter((name) => !statuses.some(({ context }) => context === name))
  const list = (
    <ul class="plain-list check-list">
      {statuses.map(({ id, state, context, description, target_url: url }) => {
        const [sign, words, look] = looks[state]
        return (
          <li key={id} class="row">
            <span class={look}>
              <span aria-hidden="true">{sign}</span>
              <span class="hidden-text">{words}</span>
            </span>
            <b>{context}</b>
            {required.includes(context) && <span class="badge">Required</span>}
            <span class="soft small grow">{description}</span>
            {url && /^https?:\/\//.test(url) && (
              <a class="small" href={url} rel="noreferrer nofollow" aria-label={`Details of ${context}`}>
                Details
              </a>
            )}
          </li>
        )
      })}
      {missing.map((name) => (
        <li key={`missing ${name}`} class="row">
          <span class="wait-text" aria-hidden="true">
            •
          </span>
          <b>{name}</b>
          <span class="badge">Required</span>
          <span class="soft small">Expected: waiting for its result.</span>
        </li>
      ))}
    </ul>
  )
  if (!isFolded) return list
  return (
    <details>
      <summary>
        <b>{summarise(statuses, required)}</b>
      </summary>
      {list}
    </details>
  )
}
