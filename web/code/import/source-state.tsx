/** How an import or a mirror stands: what is under way, what went wrong and what to do about it. */
import { useState } from 'preact/hooks'
import { plural } from '../../../src/lib/text/plural.ts'
import { send } from '../../api/forge.ts'
import type { Repository } from '../../api/forge-types.ts'
import type { Loaded } from '../../app/load.ts'
import { ask } from '../../parts/ask.tsx'
import { formatBytes, formatCount, formatTime } from '../../parts/figures.ts'
import { Form, Submit, useAct } from '../../parts/form.tsx'
import { Done, FailedAct, Problem } from '../../parts/state.tsx'
import { When } from '../../parts/when.tsx'
import { importPath, isUnderWay, type Source } from './source-data.ts'
import {
  CredentialFields,
  IntervalField,
  type SourceCredentials,
  spellCredentials,
  spellInterval,
} from './source-fields.tsx'

type Props = {
  readonly repository: Repository
  readonly source: Source
  readonly loaded: Loaded<Source | null>
  /** Called when mirroring has been stopped, or an import cancelled. */
  ended(): void
}

export function SourceState({ repository, source, loaded, ended }: Props) {
  const act = useAct()
  const path = importPath(repository)
  const fetchAgain = () => act.run(async () => loaded.replace(await send<Source>('PATCH', path, {})))
  const end = async () => {
    const question = source.mirror
      ? {
          title: 'Stop mirroring?',
          text: 'The repository keeps what it has and takes pushes. It is not fetched any more.',
          action: 'Stop mirroring',
        }
      : { title: 'Cancel the import?', text: 'The repository stays empty.', action: 'Cancel the import' }
    if (!(await ask(question))) return
    await act.run(async () => {
      await send('DELETE', path)
      loaded.replace(null)
      ended()
    })
  }
  const isOpen = isUnderWay(source)
  return (
    <>
      <p class="long-name">
        {source.mirror ? 'Mirror of ' : 'Import from '}
        <b>{source.source_url}</b>
      </p>
      <Progress source={source} />
      <div class="row">
        {!isOpen && (source.mirror || source.status === 'failed') && (
          <button type="button" class="button" disabled={act.isBusy} onClick={() => void fetchAgain()}>
            {source.mirror ? 'Fetch now' : 'Try again'}
          </button>
        )}
        {(source.mirror || source.status !== 'complete') && (
          <button type="button" class="button danger" disabled={act.isBusy} onClick={() => void end()}>
            {source.mirror ? 'Stop mirroring' : 'Cancel the import'}
          </button>
        )}
      </div>
      <FailedAct act={act} />
      {!isOpen && (source.mirror || source.status === 'failed') && (
        <ChangeForm repository={repository} source={source} loaded={loaded} />
      )}
    </>
  )
}

function Progress({ source }: { source: Source }) {
  const { status, failure, received_bytes: bytes, next_fetch_at: next } = source
  if (isUnderWay(source))
    return (
      <p role="status" class="row">
        <span class="spinner" aria-hidden="true" />
        {status === 'pending' ? 'Waiting for its turn …' : `Fetching … ${formatBytes(bytes)} so far`}
      </p>
    )
  if (status === 'failed')
    return (
      <>
        <Problem message={failure ?? 'The fetch failed.'} />
        {next && (
          <p class="soft">
            The next try is planned for <PlannedAt at={next} />.
          </p>
        )}
      </>
    )
  return (
    <>
      <Done>{`${source.branches === 1 ? '1 branch' : `${formatCount(source.branches)} branches`} and ${plural(source.tags, 'tag')} are here.`}</Done>
      <Skipped source={source} />
      <p class="soft">
        {source.fetched_at && (
          <>
            Fetched <When at={Date.parse(source.fetched_at)} />
          </>
        )}
        {source.mirror && source.interval_minutes !== null && `, and every ${spellInterval(source.interval_minutes)}`}
        {source.mirror && ` in the name of ${source.requested_by.login}`}.
      </p>
    </>
  )
}

const PlannedAt = ({ at }: { at: string }) => <time dateTime={at}>{formatTime(Date.parse(at))}</time>

function Skipped({ source: { skipped_refs: skipped } }: { source: Source }) {
  if (skipped.count === 0) return null
  const more = skipped.count - skipped.names.length
  return (
    <p class="notice long-name">
      Left out, because of their names: {skipped.names.join(', ')}
      {more > 0 && ` and ${more} more`}. Rename them at the source to have them here.
    </p>
  )
}

type ChangeProps = { readonly repository: Repository; readonly source: Source; readonly loaded: Loaded<Source | null> }

/** Whoever saves it becomes the one in whose name it is fetched. */
function ChangeForm({ repository, source, loaded }: ChangeProps) {
  const [credentials, setCredentials] = useState<SourceCredentials>({ username: source.username ?? '', password: '' })
  const [minutes, setMinutes] = useState(source.interval_minutes ?? 0)
  const act = useAct()
  const submit = async () => {
    const change = {
      ...(credentials.password !== '' && spellCredentials(credentials)),
      ...(source.mirror && { interval_minutes: minutes }),
    }
    loaded.replace(await send<Source>('PATCH', importPath(repository), change))
    setCredentials({ ...credentials, password: '' })
  }
  return (
    <details class="below">
      <summary>{source.mirror ? 'Change credentials or interval' : 'Try again with other credentials'}</summary>
      <Form act={act} submit={submit}>
        <CredentialFields value={credentials} change={setCredentials} />
        {source.mirror && <IntervalField value={minutes} change={setMinutes} />}
        <p class="soft small">
          {source.has_password ? 'Leave the token empty to keep the one that you gave. ' : ''}
          From then on it is fetched in your name; credentials that somebody else gave are forgotten.
        </p>
        <Submit act={act} busy="Saving …">
          Save and fetch
        </Submit>
      </Form>
    </details>
  )
}
