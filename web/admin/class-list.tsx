/** A class from a pasted list or a CSV file: accounts with drawn passwords, shown once as a sheet to print. */
import { useState } from 'preact/hooks'
import { type ClassEntry, readClassList } from '../../src/accounts/class-list.ts'
import { callAll } from '../api/rpc.ts'
import { Field, Form, Submit, useAct } from '../parts/form.tsx'

type Made = ClassEntry & { readonly complaint: string | undefined }

const atOnce = 10

export function ClassList({ reload }: { reload(): void }) {
  const act = useAct()
  const [text, setText] = useState('')
  const [role, setRole] = useState('contestant')
  const [made, setMade] = useState<readonly Made[]>([])
  const [progress, setProgress] = useState<{ done: number; total: number }>()
  const submit = async () => {
    const entries = readClassList(text)
    const all: Made[] = []
    try {
      for (let at = 0; at < entries.length; at += atOnce) {
        setProgress({ done: at, total: entries.length })
        const part = entries.slice(at, at + atOnce)
        const answers = await callAll(
          part.map(({ name, displayName, password }) => [
            'create_account' as const,
            { AccountName: name, DisplayName: displayName, Role: role, Password: password },
          ]),
        )
        all.push(...part.map((entry, place) => ({ ...entry, complaint: answers[place]?.error?.message })))
        setMade([...all])
      }
      setText('')
      reload()
    } finally {
      setProgress(undefined)
    }
  }
  return (
    <div class="stack">
      <section class="card no-print" aria-labelledby="class">
        <h2 id="class">New accounts</h2>
        <Form act={act} submit={submit}>
          <Field
            label="One a line"
            hint="A name to sign in with; then, behind a comma, the name to show. Passwords are drawn."
          >
            <textarea
              class="mono"
              rows={6}
              placeholder={'ann, Ann Lee\nbob, Bob Roy'}
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
              required
            />
          </Field>
          <Field label="Or from a CSV file">
            <input
              type="file"
              accept=".csv,.txt,text/csv,text/plain"
              onChange={(event) => void event.currentTarget.files?.[0]?.text().then(setText)}
            />
          </Field>
          <Field label="Role">
            <select value={role} onChange={(event) => setRole(event.currentTarget.value)}>
              <option value="contestant">Contestant</option>
              <option value="problem_setter">Problem setter</option>
            </select>
          </Field>
          {progress && <progress aria-label="Making accounts" value={progress.done} max={progress.total} />}
          <Submit act={act} busy="Making them …">
            Make the accounts
          </Submit>
        </Form>
      </section>
      {made.length > 0 && <Sheet made={made} />}
    </div>
  )
}

const Sheet = ({ made }: { made: readonly Made[] }) => (
  <section class="card flush scroll" aria-labelledby="sheet">
    <div class="row code-bar">
      <h2 id="sheet" class="grow">
        Passwords, shown this once
      </h2>
      <button type="button" class="button tight no-print" onClick={() => print()}>
        Print
      </button>
    </div>
    <table class="table">
      <thead>
        <tr>
          <th scope="col">Shown as</th>
          <th scope="col">Name</th>
          <th scope="col">Password</th>
        </tr>
      </thead>
      <tbody>
        {made.map(({ name, displayName, password, complaint }) => (
          <tr key={name}>
            <td>{displayName}</td>
            <td>{name}</td>
            <td>
              {complaint ? <span class="badge bad wrap">{complaint}</span> : <code class="nowrap">{password}</code>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)
