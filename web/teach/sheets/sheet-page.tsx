/** The head of every page of a sheet: title, class, deadline, and tabs for its teachers. */
import type { ComponentChildren } from 'preact'
import type { Class, Sheet } from '../../api/classes.ts'
import { isMissing } from '../../api/fault.ts'
import { call } from '../../api/rpc.ts'
import { type Loaded, useLoad } from '../../app/load.ts'
import { go } from '../../app/location.ts'
import { useSignedIn } from '../../app/page.ts'
import { useSession } from '../../app/session.ts'
import { Countdown, Moment } from '../../parts/due.tsx'
import { Heading } from '../../parts/heading.tsx'
import { NotFound } from '../../parts/not-found.tsx'
import { Refusal } from '../../parts/only.tsx'
import { Ready } from '../../parts/state.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { classPath, useTeaches } from '../classes/class-page.tsx'
import { State } from '../classes/class-sheets.tsx'
import { Invitation } from '../classes/invitation.tsx'
import { dueTimeOf, extensionOf } from './sheet-times.ts'

export type SheetTab = 'sheet' | 'results' | 'similarity' | 'extensions' | 'edit' | 'copy'
export type Shown = { readonly sheet: Sheet; readonly inClass: Class; readonly isTeacher: boolean }

type Props = {
  readonly id: number
  readonly tab: SheetTab
  readonly acts?: (shown: Shown) => ComponentChildren
  children(shown: Shown, loaded: Loaded<Omit<Shown, 'isTeacher'>>): ComponentChildren
}

export function SheetPage(props: Props) {
  const isSignedIn = useSignedIn()
  return isSignedIn ? <Page {...props} /> : null
}

async function readSheet(ID: number) {
  const { Sheet: sheet } = await call('get_sheet', { ID })
  return { sheet, inClass: (await call('get_class', { ID: sheet.ClassID })).Class }
}

function Page({ id, tab, acts, children }: Props) {
  const teaches = useTeaches()
  const loaded = useLoad(`sheet ${id}`, () => readSheet(id))
  if (loaded.value === undefined && (isMissing(loaded.error) || !Number.isSafeInteger(id)))
    return (
      <NotFound title="There is no such sheet here">
        It may not be open yet, or it may belong to another class. <a href="/-/classes">Your classes</a>
      </NotFound>
    )
  return (
    <Ready of={loaded}>
      {(value) => {
        const shown = { ...value, isTeacher: teaches(value.inClass) }
        if (tab !== 'sheet' && !shown.isTeacher)
          return <Refusal title={value.sheet.Title}>This page is for the teachers of the class.</Refusal>
        return (
          <>
            <Heading title={value.sheet.Title} note={<SheetNote {...shown} />}>
              {acts?.(shown)}
            </Heading>
            {shown.isTeacher && <SheetTabs id={id} tab={tab} />}
            {shown.inClass.IsInvited && !shown.isTeacher && (
              <Invitation
                one={shown.inClass}
                answered={(isAccepted) => (isAccepted ? loaded.reload() : go('/-/classes'))}
              />
            )}
            {children(shown, loaded)}
          </>
        )
      }}
    </Ready>
  )
}

function SheetTabs({ id, tab }: { id: number; tab: SheetTab }) {
  const own = `/-/sheets/${id}`
  return (
    <Tabs
      label="Sheet"
      tabs={[
        [own, 'As students see it', tab === 'sheet'],
        [`${own}/results`, 'Results', tab === 'results' || tab === 'similarity'],
        [`${own}/extensions`, 'Extensions', tab === 'extensions'],
        [`${own}/edit`, 'Edit', tab === 'edit'],
      ]}
    />
  )
}

function SheetNote({ sheet, inClass, isTeacher }: Shown) {
  const login = useSession().account?.AccountName
  const due = isTeacher ? sheet.DueTime : dueTimeOf(sheet, login)
  const note = extensionOf(sheet, login)?.Note
  return (
    <>
      <a href={classPath(inClass.ID)}>{inClass.Name}</a>
      {due !== null && (
        <>
          {' '}
          · due <Moment at={due} />
        </>
      )}
      {!isTeacher && due !== sheet.DueTime && ` (extended for you${note ? `: ${note}` : ''})`}{' '}
      {isTeacher ? <State sheet={sheet} /> : <Countdown due={due} lateUntil={sheet.LateUntil} />}
    </>
  )
}
