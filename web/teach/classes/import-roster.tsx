/** Imports students from a pasted list or a file, with a preview of each line. */
import { useState } from 'preact/hooks'
import type { Class, LineLogin, Mapping, Roster, RosterRow } from '../../api/classes.ts'
import { call } from '../../api/rpc.ts'
import { forgetAll } from '../../app/load.ts'
import type { ViewProps } from '../../app/view.ts'
import { FileButton } from '../../parts/file-button.tsx'
import { Field, Form, Submit, useAct } from '../../parts/form.tsx'
import { readListFile } from '../../parts/list-file.ts'
import { ClassPage } from './class-page.tsx'
import { Made, RecentImports } from './import-undo.tsx'
import { joinSlips, PasswordSlips, type Slip } from './password-slips.tsx'
import { leaveOut, RosterPreview } from './roster-preview.tsx'

export const ImportRoster = ({ params }: ViewProps) => (
  <ClassPage id={params.class!} tab="import">
    {(one, { reload }) => <Importing one={one} reload={reload} />}
  </ClassPage>
)

type Choices = { readonly lines: readonly number[]; readonly logins: readonly LineLogin[] }
const noChoices: Choices = { lines: [], logins: [] }

function Importing({ one, reload }: { one: Class; reload(): void }) {
  const act = useAct()
  const [text, setText] = useState('')
  const [mapping, setMapping] = useState<Mapping>()
  const [preview, setPreview] = useState<Roster>()
  /** Lines whose known account is taken. */
  const [taken, setTaken] = useState<readonly number[]>([])
  /** Logins that the teacher gave to lines. */
  const [logins, setLogins] = useState<readonly LineLogin[]>([])
  const [made, setMade] = useState<Roster>()
  // They stay while more students are added.
  const [slips, setSlips] = useState<readonly Slip[]>([])

  const read = async (Text: string, columns: Mapping | undefined, choices: Choices = noChoices) => {
    const Mapping = columns
    const { lines: TakenLineList, logins: LoginList } = choices
    setPreview(
      await call('import_roster', { ClassID: one.ID, Text, TakenLineList, LoginList, ...(Mapping && { Mapping }) }),
    )
    setTaken(TakenLineList)
    setLogins(LoginList)
  }
  const show = (next: string, columns: Mapping | undefined, choices?: Choices) => {
    setText(next)
    setMapping(columns)
    setMade(undefined)
    return act.run(() => read(next, columns, choices))
  }
  const open = ([file]: readonly File[]) =>
    act.run(async () => {
      const list = await readListFile(file!)
      setText(list)
      setMapping(undefined)
      setMade(undefined)
      await read(list, undefined)
    })
  const make = () =>
    act.run(async () => {
      const Mapping = mapping
      const next = await call('import_roster', {
        ClassID: one.ID,
        Text: text,
        IsDryRun: false,
        TakenLineList: taken,
        LoginList: logins,
        ...(Mapping && { Mapping }),
      })
      setMade(next)
      setSlips((now) => joinSlips(now, next.RowList.flatMap(toSlip)))
      setPreview(undefined)
      setText('')
      forgetAll()
      reload()
    })

  const forget = (names: ReadonlySet<string>) => setSlips((now) => now.filter(({ login }) => !names.has(login)))
  return (
    <div class="stack">
      {made && <Made one={one} made={made} again={() => setMade(undefined)} forget={forget} reload={reload} />}
      {slips.length > 0 && <PasswordSlips slips={slips} dismiss={() => setSlips([])} />}
      {!made && (
        <section class="card no-print" aria-labelledby="roster">
          <h2 id="roster">List of students</h2>
          <Form act={act} submit={() => read(text, mapping)}>
            <Field
              label="Paste the list"
              hint="One name per line, or a table with headings, copied from Excel, Moodle or Google Classroom. Logins are made from the names, and passwords are generated."
            >
              <textarea
                class="mono"
                rows={8}
                placeholder={'First name\tLast name\tE-mail\nAnna\tMüller\tanna@school.example'}
                value={text}
                onInput={(event) => {
                  setText(event.currentTarget.value)
                  setMapping(undefined)
                  setPreview(undefined)
                }}
                required
              />
            </Field>
            <div class="row">
              <Submit act={act} busy="Reading …">
                Preview
              </Submit>
              <FileButton
                label="Choose a CSV or text file"
                accept=".csv,.tsv,.txt,text/csv,text/plain"
                isDisabled={act.isBusy}
                choose={(files) => void open(files)}
              />
            </div>
          </Form>
        </section>
      )}
      {!made && preview && (
        <div class="no-print">
          <RosterPreview
            roster={preview}
            act={act}
            remap={(columns) => void show(text, columns)}
            leaveOut={(line) =>
              void show(leaveOut(text, preview, line), mapping, {
                lines: taken.filter((one) => one !== line),
                logins: logins.filter(({ Line }) => Line !== line),
              })
            }
            take={(lines) => void show(text, mapping, { lines, logins })}
            given={new Set(logins.map(({ Line }) => Line))}
            give={(Line, AccountName) =>
              void show(text, mapping, {
                lines: taken,
                logins: [...logins.filter((one) => one.Line !== Line), ...(AccountName ? [{ Line, AccountName }] : [])],
              })
            }
            make={() => void make()}
          />
        </div>
      )}
      {!made && <RecentImports one={one} forget={forget} reload={reload} />}
    </div>
  )
}

const toSlip = ({ AccountName, RosterName, Password }: RosterRow): Slip[] =>
  Password ? [{ login: AccountName, name: RosterName, password: Password }] : []
