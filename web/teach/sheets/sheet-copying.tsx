/** Copies a sheet into a class, as a draft with times of its own: for a parallel class, or for next year. */
import { useState } from 'preact/hooks'
import type { Class, Sheet } from '../../api/classes.ts'
import { call } from '../../api/rpc.ts'
import { forgetAll, useLoad } from '../../app/load.ts'
import { go } from '../../app/location.ts'
import type { ViewProps } from '../../app/view.ts'
import { Field, Form, Submit, useAct } from '../../parts/form.tsx'
import { Ready } from '../../parts/state.tsx'
import { useTeaches } from '../classes/class-page.tsx'
import { makeBlank } from './blank-sheet.ts'
import { pickDraft } from './sheet-fields.ts'
import { SheetPage } from './sheet-page.tsx'

export const CopySheet = ({ params }: ViewProps) => (
  <SheetPage id={Number(params.id)} tab="copy">
    {({ sheet }) => <Copying key={sheet.ID} sheet={sheet} />}
  </SheetPage>
)

function Copying({ sheet }: { sheet: Sheet }) {
  const teaches = useTeaches()
  const loaded = useLoad('classes', async () => (await call('get_class_list', {})).ClassList)
  return (
    <Ready of={loaded}>
      {(list) => {
        const classes = list.filter((one) => teaches(one) && !one.IsArchived)
        return classes.length === 0 ? (
          <p class="notice">You teach no class that is not archived.</p>
        ) : (
          <CopyForm sheet={sheet} classes={classes} />
        )
      }}
    </Ready>
  )
}

function CopyForm({ sheet, classes }: { sheet: Sheet; classes: readonly Class[] }) {
  const act = useAct()
  const [title, setTitle] = useState(sheet.Title)
  const [classId, setClassId] = useState((classes.find(({ ID }) => ID === sheet.ClassID) ?? classes[0]!).ID)
  const submit = async () => {
    const { OpenTime, DueTime } = makeBlank()
    const { Sheet } = await call('create_sheet', {
      ...pickDraft(sheet),
      ClassID: classId,
      Title: title,
      OpenTime,
      DueTime: sheet.DueTime === null ? null : DueTime,
      LateUntil: null,
      IsPublished: false,
    })
    forgetAll()
    go(`/-/sheets/${Sheet.ID}/edit`)
  }
  return (
    <section class="card narrow" aria-labelledby="copy-sheet">
      <h2 id="copy-sheet">Copy sheet</h2>
      <p class="soft small">
        Copies the text, the problems with their points, and the settings, but no dates, extensions, marks or
        submissions. The copy is a draft: set its times, then publish it.
      </p>
      <Form act={act} submit={submit}>
        <Field label="Class">
          <select value={classId} onChange={(event) => setClassId(event.currentTarget.value)}>
            {classes.map(({ ID, Name }) => (
              <option key={ID} value={ID}>
                {Name}
              </option>
            ))}
          </select>
        </Field>
        <Field label="Title">
          <input value={title} onInput={(event) => setTitle(event.currentTarget.value)} maxLength={256} required />
        </Field>
        <Submit act={act} busy="Copying …">
          Copy sheet
        </Submit>
      </Form>
    </section>
  )
}
