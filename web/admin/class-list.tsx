/** A class from a pasted list or a CSV file: accounts with drawn passwords, shown once as a sheet to print. */
import { useState } from 'preact/hooks'
import { demandAccountRules } from '../../src/accounts/account-rules.ts'
import { type ClassEntry, readClassList } from '../../src/accounts/class-list.ts'
import { Failure } from '../../src/lib/failure.ts'
import { CsvError } from '../../src/lib/text/csv.ts'
import { Fault } from '../api/fault.ts'
import { callAll } from '../api/rpc.ts'
import { FileButton } from '../parts/file-button.tsx'
import { Field, Form, Submit, useAct } from '../parts/form.tsx'
import { readListFile } from '../parts/list-file.ts'
import { usePrintOnce } from '../parts/print-once.ts'
import { useRevealed } from '../parts/revealed.ts'
import { FailedAct } from '../parts/state.tsx'

type Refused = { readonly entry: ClassEntry; readonly reason: string }

const atOnce = 10

/** Passwords stay until the page is left; lines that were refused stay in the box. */
export function ClassList({ reload }: { reload(): void }) {
  const act = useAct()
  const reading = useAct()
  const [text, setText] = useState('')
  const [role, setRole] = useState('contestant')
  const [made, setMade] = useState<readonly ClassEntry[]>([])
  const [refused, setRefused] = useState<readonly Refused[]>([])
  const [progress, setProgress] = useState<{ done: number; total: number }>()
  const submit = async () => {
    const all = readList(text)
    const wrong: Refused[] = all.flatMap((entry) => findFault(entry) ?? [])
    const entries = all.filter((entry) => !wrong.some((one) => one.entry === entry))
    let done = 0
    try {
      while (done < entries.length) {
        setProgress({ done, total: entries.length })
        const part = entries.slice(done, done + atOnce)
        const answers = await callAll(
          part.map(({ name, displayName, password }) => [
            'create_account' as const,
            { AccountName: name, DisplayName: displayName, Role: role, Password: password },
          ]),
        )
        const reasons = part.map((_, place) => answers[place]?.error?.message)
        wrong.push(...part.flatMap((entry, place) => (reasons[place] ? [{ entry, reason: reasons[place] }] : [])))
        const good = part.filter((_, place) => !reasons[place])
        if (good.length > 0) setMade((now) => [...now, ...good])
        done += part.length
      }
    } finally {
      setRefused(wrong)
      setText([...wrong.map(({ entry }) => entry), ...entries.slice(done)].map(({ source }) => source).join('\n'))
      setProgress(undefined)
      reload()
    }
  }
  const read = async (file: File | undefined) => {
    if (file) setText(await readListFile(file))
  }
  return (
    <div class="stack">
      <section class="card no-print" aria-labelledby="class">
        <h2 id="class">New accounts</h2>
        <Form act={act} submit={submit}>
          <Field
            label="One account per line"
            hint="The sign-in name, then a comma and the display name. Passwords are generated."
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
          {refused.length > 0 && <RefusedList list={refused} />}
          <FileButton
            label="Or from a CSV file"
            accept=".csv,.txt,text/csv,text/plain"
            choose={([file]) => void reading.run(() => read(file))}
          />
          <FailedAct act={reading} />
          <Field label="Role">
            <select value={role} onChange={(event) => setRole(event.currentTarget.value)}>
              <option value="contestant">Contestant</option>
              <option value="problem_setter">Problem setter</option>
            </select>
          </Field>
          {progress && <progress aria-label="Creating accounts" value={progress.done} max={progress.total} />}
          <Submit act={act} busy="Creating …">
            Create accounts
          </Submit>
        </Form>
      </section>
      {made.length > 0 && <Sheet made={made} />}
    </div>
  )
}

function readList(text: string): ClassEntry[] {
  try {
    return readClassList(text)
  } catch (error) {
    throw error instanceof CsvError ? new Fault(0, `Line ${error.line}: ${error.message}`) : error
  }
}

/** A rule that the entry breaks, in words that name no field of the interface. */
function findFault(entry: ClassEntry): Refused | undefined {
  try {
    demandAccountRules({ name: entry.name, displayName: entry.displayName })
    return undefined
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { entry, reason: error.message }
  }
}

const RefusedList = ({ list }: { list: readonly Refused[] }) => (
  <div class="notice bad" role="alert">
    <p>These accounts were not created. Their lines are still in the box:</p>
    <ul>
      {list.map(({ entry: { name }, reason }) => (
        <li key={name}>
          <strong>{name}</strong>: {reason}
        </li>
      ))}
    </ul>
  </div>
)

function Sheet({ made }: { made: readonly ClassEntry[] }) {
  const place = useRevealed<HTMLHeadingElement>(made)
  const { printAll } = usePrintOnce(made.map(({ name, password }) => `${name} ${password}`).join('\n'))
  return (
    <section class="card flush scroll" aria-labelledby="sheet">
      <div class="row code-bar">
        <h2 id="sheet" class="grow" tabIndex={-1} ref={place}>
          Passwords (they will not be shown again)
        </h2>
        <button type="button" class="button tight no-print" onClick={printAll}>
          Print
        </button>
      </div>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Password</th>
          </tr>
        </thead>
        <tbody>
          {made.map(({ name, displayName, password }) => (
            <tr key={name}>
              <td>
                <strong>{name}</strong>
                <br />
                <small class="soft">{displayName}</small>
              </td>
              <td>
                <code class="nowrap">{password}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
