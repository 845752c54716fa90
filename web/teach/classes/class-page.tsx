/** The head of every page of a class: its name, and tabs for its teachers. */
import type { ComponentChildren } from 'preact'
import { plural } from '../../../src/lib/text/plural.ts'
import type { Class } from '../../api/classes.ts'
import { isMissing } from '../../api/fault.ts'
import { call } from '../../api/rpc.ts'
import { forgetAll, type Loaded, useLoad } from '../../app/load.ts'
import { go } from '../../app/location.ts'
import { useSignedIn } from '../../app/page.ts'
import { isAdmin, useSession } from '../../app/session.ts'
import { ask } from '../../parts/ask.tsx'
import { useAct } from '../../parts/form.tsx'
import { Heading } from '../../parts/heading.tsx'
import { NotFound } from '../../parts/not-found.tsx'
import { Refusal } from '../../parts/only.tsx'
import { FailedAct, Ready } from '../../parts/state.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { Invitation } from './invitation.tsx'

export type ClassTab = 'sheets' | 'results' | 'members' | 'import' | 'settings'

/** Admins teach every class. */
export function useTeaches(): (one: Class) => boolean {
  const session = useSession()
  const own = session.account?.AccountName
  return ({ TeacherList }) => isAdmin(session) || TeacherList.some((name) => name === own)
}

export const classPath = (id: string, part = ''): string => `/-/classes/${encodeURIComponent(id)}${part && `/${part}`}`

type Props = {
  readonly id: string
  readonly tab: ClassTab
  /** Its actions. */
  readonly acts?: ComponentChildren
  children(one: Class, loaded: Loaded<Class>): ComponentChildren
}

export function ClassPage(props: Props) {
  const isSignedIn = useSignedIn()
  return isSignedIn ? <Page {...props} /> : null
}

function Page({ id, tab, acts, children }: Props) {
  const teaches = useTeaches()
  const loaded = useLoad(`class ${id}`, async () => (await call('get_class', { ID: id })).Class)
  if (loaded.value === undefined && isMissing(loaded.error)) return <MissingClass />
  return (
    <Ready of={loaded}>
      {(one) => {
        if (tab !== 'sheets' && !teaches(one))
          return <Refusal title={one.Name}>This page is for the teachers of the class.</Refusal>
        return (
          <>
            <Heading title={one.Name} note={<ClassNote one={one} />}>
              {teaches(one) ? acts : !one.IsInvited && <Leave one={one} />}
            </Heading>
            {one.IsInvited && !teaches(one) && (
              <Invitation one={one} answered={(isAccepted) => (isAccepted ? loaded.reload() : go('/-/classes'))} />
            )}
            {teaches(one) && (
              <Tabs
                label="Class"
                tabs={[
                  [classPath(id), 'Sheets', tab === 'sheets'],
                  [classPath(id, 'results'), 'Results', tab === 'results'],
                  [classPath(id, 'members'), 'Members', tab === 'members'],
                  [classPath(id, 'import'), 'Add students', tab === 'import'],
                  [classPath(id, 'settings'), 'Settings', tab === 'settings'],
                ]}
              />
            )}
            {children(one, loaded)}
          </>
        )
      }}
    </Ready>
  )
}

function Leave({ one: { ID, Name } }: { one: Class }) {
  const act = useAct()
  const login = useSession().account!.AccountName
  const leave = () =>
    act.run(async () => {
      const text =
        'Its sheets are no longer open to you. What counted until now stays in its results, and you can still open it; its teachers see nothing that you submit later.'
      if (!(await ask({ title: `Leave ${Name}?`, text, action: 'Leave class' }))) return
      await call('delete_class_member', { ClassID: ID, AccountName: login })
      forgetAll()
      go('/-/classes')
    })
  return (
    <>
      <FailedAct act={act} />
      <button type="button" class="button quiet" disabled={act.isBusy} onClick={() => void leave()}>
        Leave class
      </button>
    </>
  )
}

export const MissingClass = () => (
  <NotFound title="There is no such class here">
    It may have been deleted, or you are not in it. <a href="/-/classes">Your classes</a>
  </NotFound>
)

const ClassNote = ({ one }: { one: Class }) => (
  <>
    {plural(one.StudentCount, 'student')} · taught by {one.TeacherNameList.join(', ')}{' '}
    {one.IsArchived && <span class="badge">Archived</span>}
  </>
)
