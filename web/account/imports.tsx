/** Imports of archives, for admins of the server, with a preview before anything is created. */
import { useEffect, useState } from 'preact/hooks'
import { Fault } from '../api/fault.ts'
import { readList } from '../api/forge.ts'
import { upload } from '../api/upload.ts'
import { useLoad } from '../app/load.ts'
import { formatBytes } from '../parts/figures.ts'
import { FileButton } from '../parts/file-button.tsx'
import { Field, Form, Submit, useAct } from '../parts/form.tsx'
import { Empty, FailedAct, Ready } from '../parts/state.tsx'
import { When } from '../parts/when.tsx'
import { type ArchivePreview, readArchive } from './archive-preview.ts'

type Import = {
  readonly id: number
  readonly state: 'pending' | 'importing' | 'imported' | 'previewed' | 'failed'
  readonly summary: Summary | null
  readonly progress: number
  readonly failure_reason: string | null
  readonly record_count: number | null
  readonly repositories: readonly { readonly id: number; readonly full_name: string }[]
  readonly created_at: string
}

type Summary = {
  readonly from: string
  readonly repositories: readonly string[]
  readonly counts: Readonly<Record<string, number>>
  readonly left_out: readonly { readonly what: string; readonly count: number }[]
  readonly new_accounts: readonly string[]
  readonly new_account_count: number
}

const looks = { pending: 'wait', importing: 'wait', imported: 'good', previewed: 'good', failed: 'bad' } as const
const titles = {
  ...{ pending: 'Pending', importing: 'Importing', imported: 'Imported', failed: 'Failed' },
  previewed: 'Checked, not imported',
} as const
const followMs = 1_000

export function Imports() {
  const found = useLoad('imports', () => readList<Import>('/admin/imports', { per_page: 20 }))
  const isRunning = found.value?.items.some(({ state }) => state === 'pending' || state === 'importing') ?? false
  useEffect(() => {
    if (!isRunning || found.isLoading) return
    const timer = setTimeout(found.reload, followMs)
    return () => clearTimeout(timer)
  }, [isRunning, found.isLoading, found.reload])
  return (
    <>
      <section class="card flush" aria-label="Imports">
        <h2 class="card-title">Imports</h2>
        <Ready of={found}>
          {({ items }) => (
            <>
              {items.length === 0 && <Empty title="No imports yet." />}
              <ul class="plain-list" aria-live="polite">
                {items.map((one) => (
                  <li key={one.id} class="list-row">
                    <span class="row tight-row">
                      <span class={`badge ${looks[one.state]}`}>{titles[one.state]}</span>
                      <span class="small soft">
                        <When at={Date.parse(one.created_at)} />
                      </span>
                      {one.repositories.map(({ id, full_name: name }) => (
                        <a key={id} href={`/${name}`}>
                          {name}
                        </a>
                      ))}
                    </span>
                    {(one.state === 'pending' || one.state === 'importing') && (
                      <progress value={one.progress} max={100} aria-label={`Import ${one.id}`} />
                    )}
                    {one.failure_reason && <p role="alert">{one.failure_reason}</p>}
                    {one.summary && <Told summary={one.summary} isOpen={one.state === 'previewed'} />}
                  </li>
                ))}
              </ul>
            </>
          )}
        </Ready>
      </section>
      <NewImport onStarted={found.reload} />
    </>
  )
}

/** What an import brings and leaves out. */
function Told({ summary, isOpen }: { readonly summary: Summary; readonly isOpen: boolean }) {
  const { from, repositories, counts, left_out: left, new_accounts: accounts, new_account_count: count } = summary
  const number = (value: number) => value.toLocaleString('en')
  const rest = count - accounts.length
  return (
    <details open={isOpen}>
      <summary>
        From <bdi>{from}</bdi>: {repositories.length} repositories, {count} new accounts
        {left.length > 0 && ', some things left out'}
      </summary>
      <p class="row">
        {Object.entries(counts).map(([type, records]) => (
          <span key={type} class="badge">
            {type.replaceAll('_', ' ')}: {number(records)}
          </span>
        ))}
      </p>
      <p>{repositories.join(', ')}</p>
      {count > 0 && (
        <p>
          New accounts, suspended: <bdi>{accounts.join(', ')}</bdi>
          {rest > 0 && ` and ${number(rest)} more`}
        </p>
      )}
      {left.length > 0 && (
        <>
          <p>Left out:</p>
          <ul>
            {left.map(({ what, count: things }) => (
              <li key={what}>
                {number(things)} {what}
              </li>
            ))}
          </ul>
        </>
      )}
    </details>
  )
}

function NewImport({ onStarted }: { onStarted(): void }) {
  const [file, setFile] = useState<File>()
  const [preview, setPreview] = useState<ArchivePreview>()
  const reading = useAct()
  const choose = (chosen: File | undefined) => {
    setFile(undefined)
    setPreview(undefined)
    if (chosen)
      void reading.run(async () => {
        setPreview(await readArchive(chosen))
        setFile(chosen)
      })
  }
  return (
    <section class="card" aria-labelledby="new-import">
      <h2 id="new-import">Import an archive</h2>
      <FileButton
        label="Choose an archive"
        hint="The .tar.gz of an export, from a server of this kind or from the public platform. You see a preview first; nothing is sent before you confirm."
        accept=".gz,.tgz,application/gzip"
        isDisabled={reading.isBusy}
        choose={([chosen]) => choose(chosen)}
      />
      {reading.isBusy && <p role="status">Reading …</p>}
      <FailedAct act={reading} />
      {file && preview && (
        <Chosen
          file={file}
          preview={preview}
          onStarted={() => {
            choose(undefined)
            onStarted()
          }}
        />
      )}
    </section>
  )
}

type ChosenProps = { readonly file: File; readonly preview: ArchivePreview; onStarted(): void }

const hidden = new Set(['repositories', 'users', 'schema'])

function Chosen({ file, preview, onStarted }: ChosenProps) {
  const [owner, setOwner] = useState('')
  const [logins, setLogins] = useState<Readonly<Record<string, string>>>({})
  const [part, setPart] = useState<number>()
  const act = useAct()
  const send = async (isPreview: boolean) => {
    const users = Object.entries(logins).filter(([from, to]) => to.trim() !== '' && to.trim() !== from)
    const query = new URLSearchParams()
    if (owner.trim()) query.set('owner', owner.trim())
    if (users.length > 0) query.set('users', users.map(([from, to]) => `${from}:${to.trim()}`).join(','))
    if (isPreview) query.set('preview', 'true')
    setPart(0)
    const url = query.size > 0 ? `/admin/imports?${query}` : '/admin/imports'
    const { status, text } = await upload({ url, type: 'application/gzip', body: file, onProgress: setPart })
    setPart(undefined)
    if (status >= 300) throw toFault(status, text)
    onStarted()
  }
  return (
    <Form act={act} submit={() => send(false)} class="below">
      <h3>Preview</h3>
      <p>
        <bdi>{file.name}</bdi>, {formatBytes(file.size)}
        {!preview.isWhole && ' (the preview covers only the beginning)'}
      </p>
      {preview.repositories.length > 0 && (
        <ul>
          {preview.repositories.map(({ name, isPrivate }) => (
            <li key={name}>
              {owner.trim() ? `${owner.trim()}/${name.split('/')[1]}` : name}{' '}
              <span class="badge">{isPrivate ? 'Private' : 'Public'}</span>
            </li>
          ))}
        </ul>
      )}
      <p class="row">
        {preview.counts
          .filter(([type]) => !hidden.has(type))
          .map(([type, count]) => (
            <span key={type} class="badge">
              {type.replaceAll('_', ' ')}: {count.toLocaleString('en')}
            </span>
          ))}
      </p>
      <Field label="Owner" hint="The owner of the new repositories. Leave empty to keep the owners from the archive.">
        <input value={owner} maxLength={39} onInput={(event) => setOwner(event.currentTarget.value)} />
      </Field>
      {preview.people.length > 0 && (
        <fieldset class="plain">
          <legend class="label">People in the archive and their accounts here</legend>
          <p class="small soft">
            People without an account here get a suspended one with no password. Change a name to choose another
            account.
          </p>
          <div class="choice-list">
            {preview.people.map((login) => (
              <label class="row spread access-row" key={login}>
                <span>{login}</span>
                <input
                  class="input"
                  value={logins[login] ?? login}
                  maxLength={39}
                  aria-label={`Account of ${login}`}
                  onInput={(event) => setLogins({ ...logins, [login]: event.currentTarget.value })}
                />
              </label>
            ))}
          </div>
        </fieldset>
      )}
      {part !== undefined && act.isBusy && <progress value={part} max={1} aria-label="Sending" />}
      <p class="row">
        <Submit act={act} busy="Sending …">
          Import
        </Submit>
        <button
          type="button"
          class="button"
          disabled={act.isBusy}
          onClick={() => void act.run(() => send(true))}
          title="The server checks the archive and says what it would bring and leave out. Nothing is imported."
        >
          Check only
        </button>
      </p>
    </Form>
  )
}

function toFault(status: number, text: string): Fault {
  try {
    const { message, errors = [] } = JSON.parse(text) as { message?: string; errors?: { message?: string }[] }
    const words = [message, ...errors.map((one) => one.message)].filter(Boolean).join('. ')
    return new Fault(status, words || `The server answered ${status}.`)
  } catch {
    return new Fault(status, `The server answered ${status}. Try again in a moment.`)
  }
}
