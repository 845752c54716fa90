/** Settings of a class: name, join code, archiving and deletion. */
import { useState } from 'preact/hooks'
import type { Class } from '../../api/classes.ts'
import { call } from '../../api/rpc.ts'
import { forgetAll, useLoad } from '../../app/load.ts'
import { go } from '../../app/location.ts'
import type { ViewProps } from '../../app/view.ts'
import { ask } from '../../parts/ask.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Field, Form, Submit, useAct } from '../../parts/form.tsx'
import { Done, FailedAct } from '../../parts/state.tsx'
import { ClassPage } from './class-page.tsx'

export const ClassSettings = ({ params }: ViewProps) => (
  <ClassPage id={params.class!} tab="settings">
    {(one, { replace }) => (
      <div class="stack text-width">
        <JoinCode one={one} replace={replace} />
        <ClassName one={one} replace={replace} />
        <Ending one={one} replace={replace} />
      </div>
    )}
  </ClassPage>
)

type Props = { readonly one: Class; replace(one: Class): void }

function JoinCode({ one, replace }: Props) {
  const act = useAct()
  const set = (HasJoinCode: boolean) =>
    act.run(async () => replace((await call('update_class', { ID: one.ID, HasJoinCode })).Class))
  return (
    <section class="card" aria-labelledby="join-code">
      <h2 id="join-code">Join code</h2>
      {one.JoinCode === null ? (
        <p class="soft">Without a code, only teachers can add students.</p>
      ) : (
        <p role="status">
          Students join under Classes with <code class="secret">{one.JoinCode}</code>{' '}
          <Copy text={one.JoinCode} what="the join code" />
        </p>
      )}
      <div class="row">
        <button type="button" class="button" disabled={act.isBusy} onClick={() => void set(true)}>
          {one.JoinCode === null ? 'Create a code' : 'New code'}
        </button>
        {one.JoinCode !== null && (
          <button type="button" class="button quiet" disabled={act.isBusy} onClick={() => void set(false)}>
            Remove the code
          </button>
        )}
      </div>
      <FailedAct act={act} />
    </section>
  )
}

function ClassName({ one, replace }: Props) {
  const act = useAct()
  const [name, setName] = useState(one.Name)
  const [isDone, setDone] = useState(false)
  const submit = async () => {
    setDone(false)
    replace((await call('update_class', { ID: one.ID, Name: name })).Class)
    setDone(true)
  }
  return (
    <section class="card" aria-labelledby="class-name">
      <h2 id="class-name">Name</h2>
      {isDone && <Done>Saved.</Done>}
      <Form act={act} submit={submit}>
        <Field label="Name of the class">
          <input value={name} onInput={(event) => setName(event.currentTarget.value)} maxLength={256} required />
        </Field>
        <Submit act={act}>Save</Submit>
      </Form>
    </section>
  )
}

function Ending({ one, replace }: Props) {
  const act = useAct()
  const sheets = useLoad(`sheets ${one.ID}`, async () => (await call('get_sheet_list', { ClassID: one.ID })).SheetList)
  const archive = () =>
    act.run(async () => replace((await call('update_class', { ID: one.ID, IsArchived: !one.IsArchived })).Class))
  const remove = () =>
    act.run(async () => {
      const text = 'Its students keep their accounts and submissions. This can’t be undone.'
      if (!(await ask({ title: `Delete “${one.Name}”?`, text, action: 'Delete class' }))) return
      await call('delete_class', { ID: one.ID })
      forgetAll()
      go('/-/classes')
    })
  return (
    <section class="card" aria-labelledby="class-end">
      <h2 id="class-end">Archive or delete</h2>
      <p class="soft">
        An archived class keeps its sheets and results, and nobody can join it. A class with sheets can’t be deleted.
      </p>
      <div class="row">
        <button type="button" class="button" disabled={act.isBusy} onClick={() => void archive()}>
          {one.IsArchived ? 'Restore class' : 'Archive class'}
        </button>
        {sheets.value?.length === 0 && (
          <button type="button" class="button danger" disabled={act.isBusy} onClick={() => void remove()}>
            Delete class
          </button>
        )}
      </div>
      <FailedAct act={act} />
    </section>
  )
}
