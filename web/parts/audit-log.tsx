/** The audit log of an organisation or the whole server, newest first, searched by action, person and time. */
import { useState } from 'preact/hooks'
import { request } from '../api/forge.ts'
import { useLoad } from '../app/load.ts'
import { setQuery, usePlace } from '../app/location.ts'
import { useAct } from './form.tsx'
import { Empty, FailedAct, Ready } from './state.tsx'
import { type Column, Table } from './table.tsx'
import { When } from './when.tsx'

type Entry = {
  readonly _document_id: string
  readonly action: string
  readonly created_at: number
  readonly actor?: string
  readonly actor_ip: string | null
  readonly programmatic_access_type: string | null
  readonly org?: string
  readonly repo?: string
  readonly user?: string
  readonly data: Readonly<Record<string, unknown>>
}

type Part = { readonly entries: readonly Entry[]; readonly after: string | undefined }

async function readPart(path: string, phrase: string, after?: string): Promise<Part> {
  const response = await request(path, { query: { phrase, per_page: 50, after } })
  const next = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
  const cursor = next && new URL(next, location.href).searchParams.get('after')
  return { entries: (await response.json()) as readonly Entry[], after: cursor || undefined }
}

export function AuditLog({ path }: { path: string }) {
  const phrase = usePlace().query.get('q') ?? ''
  const first = useLoad(`audit ${path} ${phrase}`, () => readPart(path, phrase))
  const [more, setMore] = useState<Part & { readonly of: unknown }>()
  const act = useAct()
  const find = (event: Event) => {
    event.preventDefault()
    const field = (event.currentTarget as HTMLFormElement).elements.namedItem('q') as HTMLInputElement
    setQuery({ q: field.value.trim() })
  }
  return (
    <>
      <form class="row filters" onSubmit={find}>
        <input
          class="input grow"
          type="search"
          name="q"
          aria-label="Find in the audit log"
          placeholder="action:repo.destroy actor:ann created:>=2026-01-01"
          defaultValue={phrase}
          key={phrase}
        />
        <button type="submit" class="button">
          Find
        </button>
      </form>
      <Ready of={first}>
        {(part) => {
          const added = more?.of === part ? more : undefined
          const entries = [...part.entries, ...(added?.entries ?? [])]
          const after = added ? added.after : part.after
          return (
            <>
              <div class="card flush scroll">
                {entries.length === 0 ? (
                  <Empty title="No events recorded." />
                ) : (
                  <Table rows={entries} columns={columns} keyOf={({ _document_id: id }) => id} />
                )}
              </div>
              <FailedAct act={act} />
              {after && (
                <p class="below">
                  <button
                    type="button"
                    class="button"
                    disabled={act.isBusy}
                    onClick={() =>
                      void act.run(async () => {
                        const next = await readPart(path, phrase, after)
                        setMore({ of: part, after: next.after, entries: [...(added?.entries ?? []), ...next.entries] })
                      })
                    }
                  >
                    Older
                  </button>
                </p>
              )}
            </>
          )
        }}
      </Ready>
    </>
  )
}

const columns: readonly Column<Entry>[] = [
  { head: 'When', cell: ({ created_at: at }) => <When at={at} /> },
  {
    head: 'Who',
    cell: ({ actor, actor_ip: address }) => (
      <>
        {actor ? <a href={`/${actor}`}>{actor}</a> : <span class="soft">nobody</span>}
        {address && (
          <>
            <br />
            <small class="soft">{address}</small>
          </>
        )}
      </>
    ),
  },
  { head: 'Action', cell: ({ action }) => <code>{action}</code> },
  { head: 'Target', look: 'small', cell: (entry) => <Subject entry={entry} /> },
]

function Subject({ entry: { org, repo, user, data, programmatic_access_type: by } }: { entry: Entry }) {
  const details = Object.entries(data).map(([name, value]) => `${name.replaceAll('_', ' ')}: ${String(value)}`)
  return (
    <>
      {[user, repo ?? org].filter(Boolean).join(' · ')}
      {(details.length > 0 || by) && (
        <>
          {(user || repo || org) && <br />}
          <small class="soft">{[...details, ...(by ? [`by ${by}`] : [])].join(', ')}</small>
        </>
      )}
    </>
  )
}
