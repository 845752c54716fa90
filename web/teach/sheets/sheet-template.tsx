/** A sheet's template: students accept the sheet and find their copy, teachers see who did. */
import type { Sheet, SheetCopy, SheetTemplate } from '../../api/classes.ts'
import { toPath } from '../../api/forge.ts'
import { call } from '../../api/rpc.ts'
import { useLoad } from '../../app/load.ts'
import { go } from '../../app/location.ts'
import { useSession } from '../../app/session.ts'
import { useAct } from '../../parts/form.tsx'
import { FailedAct, Ready } from '../../parts/state.tsx'
import { type Column, Table } from '../../parts/table.tsx'

type Props = { readonly sheet: Sheet; readonly template: SheetTemplate; readonly isTeacher: boolean }

export function SheetTemplateCard({ sheet, template, isTeacher }: Props) {
  const own = useSession().account?.AccountName
  const copies = useLoad(
    `copies ${sheet.ID}`,
    async () => (await call('get_sheet_copy_list', { SheetID: sheet.ID })).SheetCopyList,
  )
  return (
    <section class="card text-width" aria-labelledby="copies">
      <h2 id="copies">{isTeacher ? 'Template' : 'Your repository'}</h2>
      <Ready of={copies}>
        {(list) =>
          isTeacher ? (
            <Copies template={template} list={list} />
          ) : (
            <OwnCopy id={sheet.ID} copy={list.find(({ AccountName }) => AccountName === own)} />
          )
        }
      </Ready>
    </section>
  )
}

const pathOf = (repository: string): string => toPath(...repository.split('/'))

function OwnCopy({ id, copy }: { id: number; copy: SheetCopy | undefined }) {
  const act = useAct()
  const accept = () =>
    act.run(async () => {
      go(pathOf((await call('accept_sheet', { SheetID: id })).Repository))
    })
  if (copy)
    return (
      <p>
        You have accepted this sheet. Your copy is <a href={pathOf(copy.Repository)}>{copy.Repository}</a>.
      </p>
    )
  return (
    <>
      <p>
        Accept the sheet to get a private repository with its files. Your pushes to it are submitted, and the verdict is
        shown at the commit.
      </p>
      <button type="button" class="button main" disabled={act.isBusy} onClick={() => void accept()}>
        {act.isBusy && <span class="spinner" aria-hidden="true" />}
        {act.isBusy ? 'Making your copy …' : 'Accept sheet'}
      </button>
      {act.error !== undefined && (
        <div class="below">
          <FailedAct act={act} />
        </div>
      )}
    </>
  )
}

const columns: readonly Column<SheetCopy>[] = [
  {
    head: 'Student',
    cell: ({ RosterName, AccountName }) => (
      <>
        {RosterName} <small class="soft">{AccountName}</small>
      </>
    ),
  },
  { head: 'Copy', cell: ({ Repository }) => <a href={pathOf(Repository)}>{Repository}</a> },
]

const Copies = ({ template, list }: { template: SheetTemplate; list: readonly SheetCopy[] }) => (
  <>
    <p>
      Students who accept the sheet get a copy of <a href={pathOf(template.Repository)}>{template.Repository}</a> in{' '}
      <a href={toPath(template.Organisation)}>{template.Organisation}</a>.
    </p>
    {list.length === 0 ? (
      <p class="soft">Nobody has accepted it yet.</p>
    ) : (
      <details>
        <summary>
          {list.length === 1 ? '1 student has accepted it' : `${list.length} students have accepted it`}
        </summary>
        <div class="scroll">
          <Table class="table fold" rows={list} columns={columns} keyOf={({ AccountName }) => AccountName} />
        </div>
      </details>
    )}
  </>
)
