/** Adding items: a file dropped or chosen, sent in portions with progress; the first error is shown at its line. */
import { useState } from 'preact/hooks'
import { plural } from '../../src/lib/text/plural.ts'
import { type Dataset, pushItems } from '../api/datasets.ts'
import { explain, Fault } from '../api/fault.ts'
import { forgetAll } from '../app/load.ts'
import { Done, Problem } from '../parts/state.tsx'
import { FileError, readPortions } from './file-items.ts'

type State =
  | { readonly kind: 'idle' }
  | { readonly kind: 'busy'; readonly part: number; readonly name: string }
  | { readonly kind: 'done'; readonly name: string }
  | { readonly kind: 'failed'; readonly message: string }

export function Drop({ dataset, reload }: { dataset: Dataset; reload(): void }) {
  const [state, setState] = useState<State>({ kind: 'idle' })
  const [isOver, setOver] = useState(false)
  const send = async (file: File | undefined) => {
    if (!file || state.kind === 'busy') return
    const { name } = file
    setState({ kind: 'busy', part: 0, name })
    let sent = 0
    let portions: string[] = []
    try {
      portions = await readPortions(file)
      for (const portion of portions) {
        await pushItems(dataset.id, portion, (part) =>
          setState({ kind: 'busy', part: (sent + part) / portions.length, name }),
        )
        sent++
      }
      setState({ kind: 'done', name })
      forgetAll()
      reload()
    } catch (error) {
      const rest = sent > 0 ? ` ${sent} of ${plural(portions.length, 'part')} stored.` : ' Nothing was stored.'
      setState({ kind: 'failed', message: `${tell(error)}${rest}` })
      if (sent > 0) reload()
    }
  }
  return (
    <div class="stack text-width">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is beside the button, which does the same */}
      <div
        class={isOver ? 'card drop over' : 'card drop'}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault()
          setOver(false)
          void send(event.dataTransfer?.files[0])
        }}
      >
        <label class="field">
          <span>Drop a JSON, JSON lines or CSV file here, or choose one</span>
          <input
            type="file"
            accept=".json,.jsonl,.ndjson,.csv,.tsv"
            disabled={state.kind === 'busy'}
            onChange={(event) => {
              void send(event.currentTarget.files?.[0])
              event.currentTarget.value = ''
            }}
          />
        </label>
        {state.kind === 'busy' && (
          <p role="status">
            <progress aria-label="Sending" value={state.part} max={1} />
            <span class="small soft">
              {state.name}: {Math.round(state.part * 100)} %
            </span>
          </p>
        )}
      </div>
      {state.kind === 'done' && (
        <Done>
          {state.name} was stored. The data set now has {plural(dataset.itemCount, 'item')}.
        </Done>
      )}
      {state.kind === 'failed' && <Problem message={state.message} />}
      <div class="card">
        <h2>From a script</h2>
        <pre tabIndex={0}>{`curl -X POST -H "Authorization: Bearer $TOKEN" \\
  "${location.origin}/v2/datasets/${dataset.id}/items" \\
  -d '[{"title":"Emma","year":1815}]'`}</pre>
      </div>
    </div>
  )
}

function tell(error: unknown): string {
  if (error instanceof FileError) return error.message
  if (error instanceof Fault) return error.message
  return explain(error)
}
