/** What an import made, and how it is undone: at once, or within a day. */
import { useState } from 'preact/hooks'
import { plural } from '../../../src/lib/text/plural.ts'
import type { Class, Roster, RosterImport, UndoneRow } from '../../api/classes.ts'
import { call } from '../../api/rpc.ts'
import { forgetAll, useLoad } from '../../app/load.ts'
import { ask } from '../../parts/ask.tsx'
import { type Act, ActButton, useAct } from '../../parts/form.tsx'
import { Done, FailedAct } from '../../parts/state.tsx'
import { When } from '../../parts/when.tsx'
import { classPath } from './class-page.tsx'
import { countActs } from './roster-preview.tsx'

type UndoProps = {
  readonly one: Class
  /** These accounts are gone, and their slips with them. */
  forget(names: ReadonlySet<string>): void
  reload(): void
}

/** Undoes an import after a question. */
function useUndo({ one, forget, reload }: UndoProps) {
  const act = useAct()
  const [undone, setUndone] = useState<readonly UndoneRow[]>()
  const undo = (AccountNameList: readonly string[]) =>
    act.run(async () => {
      const text = 'Accounts that were never signed in to are deleted. The others stay.'
      if (!(await ask({ title: 'Undo this import?', text, action: 'Undo import' }))) return
      const { RowList } = await call('undo_roster_import', { ClassID: one.ID, AccountNameList })
      setUndone(RowList)
      forget(new Set(RowList.filter(({ Act }) => Act !== 'keep').map(({ AccountName }) => AccountName)))
      forgetAll()
      reload()
    })
  return { act, undone, undo }
}

function Undone({ rows }: { rows: readonly UndoneRow[] }) {
  const kept = rows.filter(({ Act }) => Act === 'keep')
  return (
    <Done>
      The import was undone.{' '}
      {kept.length > 0 && `Kept: ${kept.map(({ AccountName, Reason }) => `${AccountName} (${Reason})`).join(', ')}`}
    </Done>
  )
}

type MadeProps = UndoProps & { readonly made: Roster; again(): void }

export function Made({ made, again, ...props }: MadeProps) {
  const { act, undone, undo } = useUndo(props)
  const { create, join, refuse } = countActs(made)
  const added = made.RowList.filter(({ Act }) => Act !== 'refuse').map(({ AccountName }) => AccountName)
  return (
    <div class="no-print">
      {undone ? (
        <Undone rows={undone} />
      ) : (
        <Done>
          {plural(create, 'account')} created{join > 0 && `, ${plural(join, 'account')} added`}
          {refuse > 0 && `, ${plural(refuse, 'line')} skipped`}.
        </Done>
      )}
      <div class="row">
        <a class="button" href={classPath(props.one.ID, 'members')}>
          Members
        </a>
        <button type="button" class="button" onClick={again}>
          Add more
        </button>
        {!undone && added.length > 0 && (
          <button type="button" class="button danger" disabled={act.isBusy} onClick={() => void undo(added)}>
            Undo import
          </button>
        )}
      </div>
      <FailedAct act={act} />
    </div>
  )
}

export function RecentImports(props: UndoProps) {
  const { ID } = props.one
  const { act, undone, undo } = useUndo(props)
  const loaded = useLoad(`imports ${ID} ${props.one.StudentCount}`, () =>
    call('get_roster_import_list', { ClassID: ID }),
  )
  const list = loaded.value?.ImportList ?? []
  if (list.length === 0 && !undone) return null
  return (
    <section class="card flush no-print" aria-labelledby="recent-imports">
      <h2 id="recent-imports" class="card-title">
        Imports of the last day
      </h2>
      {undone && <Undone rows={undone} />}
      <FailedAct act={act} />
      <ul class="rows">
        {list.map((one) => (
          <Recent key={one.Time} one={one} act={act} undo={() => void undo(one.AccountNameList)} />
        ))}
      </ul>
    </section>
  )
}

function Recent({ one, act, undo }: { one: RosterImport; act: Act; undo(): void }) {
  const { Time, CreatedCount, AccountNameList } = one
  const first = AccountNameList[0]!
  const others = AccountNameList.length - 1
  return (
    <li>
      <div class="grow">
        {plural(AccountNameList.length, 'student')}
        {CreatedCount > 0 && `, ${plural(CreatedCount, 'new account')}`}
        <div class="soft small">
          <When at={Time} /> · {first}
          {others > 0 && ` and ${plural(others, 'other')}`}
        </div>
      </div>
      <ActButton
        act={act}
        what={`Undo import of ${first}${others > 0 ? ` and ${plural(others, 'other')}` : ''}`}
        run={undo}
      >
        Undo import
      </ActButton>
    </li>
  )
}
