/** Imports students from a pasted list or a file, with a preview of each line. */
import { useState } from 'preact/hooks'
import { plural } from '../../../src/lib/text/plural.ts'
import { decodeUtf8, notUtf8 } from '../../../src/lib/text/utf8.ts'
import type { Class, Mapping, Roster, RosterRow, UndoneRow } from '../../api/classes.ts'
import { Fault } from '../../api/fault.ts'
import { call } from '../../api/rpc.ts'
import { forgetAll } from '../../app/load.ts'
import type { ViewProps } from '../../app/view.ts'
import { ask } from '../../parts/ask.tsx'
import { FileButton } from '../../parts/file-button.tsx'
import { Field, Form, Submit, useAct } from '../../parts/form.tsx'
import { Done, FailedAct } from '../../parts/state.tsx'
import { ClassPage, classPath } from './class-page.tsx'
import { joinSlips, PasswordSlips, type Slip } from './password-slips.tsx'
import { countActs, leaveOut, RosterPreview } from './roster-preview.tsx'

export const ImportRoster = ({ params }: ViewProps) => (
  <ClassPage id={params.class!} tab="import">
    {(one, { reload }) => <Importing one={one} reload={reload} />}
  </ClassPage>
)

function Importing({ one, reload }: { one: Class; reload(): void }) {
  const act = useAct()
  const [text, setText] = useState('')
  const [mapping, setMapping] = useState<Mapping>()
  const [preview, setPreview] = useState<Roster>()
  /** Lines whose known account is taken. */
  const [taken, setTaken] = useState<readonly number[]>([])
  const [made, setMade] = useState<Roster>()
  // They stay while more students are added.
  const [slips, setSlips] = useState<readonly Slip[]>([])

  const read = async (Text: string, columns: Mapping | undefined, lines: readonly number[] = []) => {
    const Mapping = columns
    const list = { ClassID: one.ID, Text, TakenLineList: lines, ...(Mapping && { Mapping }) }
    setPreview(await call('import_roster', list))
    setTaken(lines)
  }
  const show = (next: string, columns: Mapping | undefined, lines: readonly number[]) => {
    setText(next)
    setMapping(columns)
    setMade(undefined)
    return act.run(() => read(next, columns, lines))
  }
  const open = ([file]: readonly File[]) =>
    act.run(async () => {
      const list = decodeUtf8(await file!.arrayBuffer())
      if (list === undefined) throw new Fault(0, `${file!.name} is ${notUtf8}. Or copy the cells and paste them here.`)
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
            remap={(columns) => void show(text, columns, [])}
            leaveOut={(line) =>
              void show(
                leaveOut(text, preview, line),
                mapping,
                taken.filter((one) => one !== line),
              )
            }
            take={(lines) => void show(text, mapping, lines)}
            make={() => void make()}
          />
        </div>
      )}
    </div>
  )
}

const toSlip = ({ AccountName, RosterName, Password }: RosterRow): Slip[] =>
  Password ? [{ login: AccountName, name: RosterName, password: Password }] : []

type MadeProps = {
  readonly one: Class
  readonly made: Roster
  again(): void
  /** These accounts are gone, and their slips with them. */
  forget(names: ReadonlySet<string>): void
  reload(): void
}

function Made({ one, made, again, forget, reload }: MadeProps) {
  const act = useAct()
  const [undone, setUndone] = useState<readonly UndoneRow[]>()
  const { create, join, refuse } = countActs(made)
  const added = made.RowList.filter(({ Act }) => Act !== 'refuse')
  const undo = () =>
    act.run(async () => {
      const text = 'Accounts that were never signed in to are deleted. The others stay.'
      if (!(await ask({ title: 'Undo this import?', text, action: 'Undo import' }))) return
      const AccountNameList = added.map(({ AccountName }) => AccountName)
      const { RowList } = await call('undo_roster_import', { ClassID: one.ID, AccountNameList })
      setUndone(RowList)
      forget(new Set(RowList.filter(({ Act }) => Act !== 'keep').map(({ AccountName }) => AccountName)))
      forgetAll()
      reload()
    })
  const kept = undone?.filter(({ Act }) => Act === 'keep') ?? []
  return (
    <div class="no-print">
      {undone ? (
        <Done>
          The import was undone.{' '}
          {kept.length > 0 && `Kept: ${kept.map(({ AccountName, Reason }) => `${AccountName} (${Reason})`).join(', ')}`}
        </Done>
      ) : (
        <Done>
          {plural(create, 'account')} created{join > 0 && `, ${plural(join, 'account')} added`}
          {refuse > 0 && `, ${plural(refuse, 'line')} skipped`}.
        </Done>
      )}
      <div class="row">
        <a class="button" href={classPath(one.ID, 'members')}>
          Members
        </a>
        <button type="button" class="button" onClick={again}>
          Add more
        </button>
        {!undone && added.length > 0 && (
          <button type="button" class="button danger" disabled={act.isBusy} onClick={() => void undo()}>
            Undo import
          </button>
        )}
      </div>
      <FailedAct act={act} />
    </div>
  )
}
