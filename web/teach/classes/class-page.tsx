/** What every page of a class has on top: its name, and for its teachers the tabs of its parts. */
import type { ComponentChildren } from 'preact'
import { plural } from '../../../src/lib/text/plural.ts'
import type { Class } from '../../api/classes.ts'
import { isMissing } from '../../api/fault.ts'
import { call } from '../../api/rpc.ts'
import { type Loaded, useLoad } from '../../app/load.ts'
import { useSignedIn } from '../../app/page.ts'
import { isAdmin, useSession } from '../../app/session.ts'
import { Heading } from '../../parts/heading.tsx'
import { NotFound } from '../../parts/not-found.tsx'
import { Refusal } from '../../parts/only.tsx'
import { Ready } from '../../parts/state.tsx'
import { Tabs } from '../../parts/tabs.tsx'

export type ClassTab = 'sheets' | 'members' | 'import' | 'settings'

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
  /** What can be done there. */
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
              {teaches(one) && acts}
            </Heading>
            {teaches(one) && (
              <Tabs
                label="Class"
                tabs={[
                  [classPath(id), 'Sheets', tab === 'sheets'],
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

export const MissingClass = () => (
  <NotFound title="There is no such class here">
    It may have been deleted, or you are not in it. <a href="/-/classes">To your classes</a>
  </NotFound>
)

const ClassNote = ({ one }: { one: Class }) => (
  <>
    {plural(one.StudentCount, 'student')} · taught by {one.TeacherList.join(', ')}{' '}
    {one.IsArchived && <span class="badge">Archived</span>}
  </>
)
