/** Due times for single students. */
import { useState } from 'preact/hooks'
import type { Extension, Member, Sheet } from '../../api/classes.ts'
import { call } from '../../api/rpc.ts'
import { useLoad } from '../../app/load.ts'
import type { ViewProps } from '../../app/view.ts'
import { fromLocalInput, Moment, toLocalInput, zoneName } from '../../parts/due.tsx'
import { ActButton, Field, Form, Submit, useAct } from '../../parts/form.tsx'
import { Empty, FailedAct, Ready } from '../../parts/state.tsx'
import { actsHead, type Column, Table } from '../../parts/table.tsx'
import { readMembers } from '../classes/members.tsx'
import { SheetPage } from './sheet-page.tsx'

export const Extensions = ({ params }: ViewProps) => (
  <SheetPage id={Number(params.id)} tab="extensions">
    {({ sheet }, { reload }) => <List sheet={sheet} reload={reload} />}
  </SheetPage>
)

function List({ sheet, reload }: { sheet: Sheet; reload(): void }) {
  const members = useLoad(`members ${sheet.ClassID}`, () => readMembers(sheet.ClassID))
  const act = useAct()
  const nameOf = (login: string) => members.value?.find(({ AccountName }) => AccountName === login)?.RosterName ?? login
  const columns: readonly Column<Extension>[] = [
    {
      head: 'Student',
      cell: ({ AccountName }) => (
        <>
          {nameOf(AccountName)} <small class="soft">{AccountName}</small>
        </>
      ),
    },
    { head: 'Due', cell: ({ DueTime }) => <Moment at={DueTime} /> },
    { head: 'Note', look: 'soft', cell: ({ Note }) => Note },
    {
      head: actsHead,
      look: 'acts',
      cell: ({ AccountName }) => (
        <ActButton
          act={act}
          what={`Remove the extension of ${AccountName}`}
          run={() =>
            act.run(async () => {
              await call('delete_extension', { SheetID: sheet.ID, AccountName })
              reload()
            })
          }
        >
          Remove
        </ActButton>
      ),
    },
  ]
  return (
    <div class="side">
      <div>
        <FailedAct act={act} />
        <div class="card flush scroll">
          {sheet.ExtensionList.length === 0 ? (
            <Empty title="Nobody has an extension" />
          ) : (
            <Table
              class="table fold"
              rows={sheet.ExtensionList}
              columns={columns}
              keyOf={({ AccountName }) => AccountName}
            />
          )}
        </div>
      </div>
      <Ready of={members}>
        {(list) => (
          <NewExtension sheet={sheet} students={list.filter(({ Role }) => Role === 'student')} reload={reload} />
        )}
      </Ready>
    </div>
  )
}

type NewProps = { readonly sheet: Sheet; readonly students: readonly Member[]; reload(): void }

function NewExtension({ sheet, students, reload }: NewProps) {
  const act = useAct()
  const [login, setLogin] = useState('')
  const [due, setDue] = useState(toLocalInput((sheet.DueTime ?? Date.now()) + 2 * 86_400_000))
  const [note, setNote] = useState('')
  const submit = async () => {
    await call('put_extension', {
      SheetID: sheet.ID,
      AccountName: login,
      DueTime: fromLocalInput(due)!,
      Note: note,
    })
    setLogin('')
    setNote('')
    reload()
  }
  return (
    <section class="card" aria-labelledby="extend">
      <h2 id="extend">Extend for a student</h2>
      <Form act={act} submit={submit}>
        <Field label="Student">
          <select value={login} onChange={(event) => setLogin(event.currentTarget.value)} required>
            <option value="">Choose …</option>
            {students.map(({ AccountName, RosterName }) => (
              <option key={AccountName} value={AccountName}>
                {RosterName} ({AccountName})
              </option>
            ))}
          </select>
        </Field>
        <Field label="Due" hint={`In your time zone, ${zoneName()}.`}>
          <input type="datetime-local" value={due} onInput={(event) => setDue(event.currentTarget.value)} required />
        </Field>
        <Field label="Note" hint="The student sees it.">
          <input value={note} onInput={(event) => setNote(event.currentTarget.value)} maxLength={1_000} />
        </Field>
        <Submit act={act}>Extend</Submit>
      </Form>
    </section>
  )
}
