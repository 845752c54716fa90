/** The download of a problem in the older format, with what that does not hold. */
import { useState } from 'preact/hooks'
import { Fault, unreachable } from '../../api/fault.ts'
import { useLoad } from '../../app/load.ts'
import { Ready } from '../../parts/state.tsx'

async function readLosses(path: string): Promise<readonly string[]> {
  const response = await fetch(`${path}/losses?format=legacy`).catch(() => {
    throw unreachable()
  })
  const answer = (await response.json()) as { readonly NoteList?: readonly string[]; readonly message?: string }
  if (!response.ok) throw new Fault(response.status, answer.message ?? 'The server gave no reason.')
  return answer.NoteList ?? []
}

export function LegacyDownload({ uuid }: { uuid: string }) {
  const [isOpen, setOpen] = useState(false)
  const path = `/-/judge/problems/${uuid}/package`
  return (
    <details class="below" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Download in the older format</summary>
      <div class="stack below">{isOpen && <Losses path={path} />}</div>
    </details>
  )
}

function Losses({ path }: { path: string }) {
  const losses = useLoad(`losses ${path}`, () => readLosses(path))
  return (
    <Ready of={losses}>
      {(list) => (
        <div class="small">
          <p>Most judges read the Kattis legacy format. It can’t hold everything in this problem:</p>
          <ul>
            {list.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
          <a class="button" href={`${path}?format=legacy`} download>
            Download as legacy
          </a>
        </div>
      )}
    </Ready>
  )
}
