/** The members of a class: their names on the roster, their roles, new passwords, and who leaves. */
import { useState } from 'preact/hooks'
import { generatePassword } from '../../../src/accounts/generated-password.ts'
import type { Class, Member } from '../../api/classes.ts'
import { call } from '../../api/rpc.ts'
import { useLoad } from '../../app/load.ts'
import type { ViewProps } from '../../app/view.ts'
import { ask } from '../../parts/ask.tsx'
import { type Act, ActButton, Field, Form, Submit, useAct } from '../../parts/form.tsx'
import { SelectChoice } from '../../parts/select-choice.tsx'
import { Empty, FailedAct, Ready } from '../../parts/state.tsx'
import { actsHead, type Column, Table } from '../../parts/table.tsx'
import { ClassPage, classPath } from './class-page.tsx'
import { joinSlips, PasswordSlips, type Slip } from './password-slips.tsx'

export const Members = ({ params }: ViewProps) => (
  <ClassPage id={params.class!} tab="members">
    {(one, { reload }) => <List one={one} reloadClass={reload} />}
  </ClassPage>
)

/** All of them: a class has 5,000 members at most, and a call gives 100. */
export async function readMembers(ClassID: string): Promise<readonly Member[]> {
  const members: Member[] = []
  for (let Offset = 0; ; Offset += 100) {
    const { MemberList, TotalMemberCount } = await call('get_class_member_list', { ClassID, Offset, Limit: 100 })
    members.push(...MemberList)
    if (MemberList.length === 0 || members.length >= TotalMemberCount) return members.sort(compareMembers)
  }
}

/** Teachers first, then by name as a person sorts it: Łukasz before Mia. */
const compareMembers = (a: Member, b: Member): number =>
  Number(b.Role === 'teacher') - Number(a.Role === 'teacher') ||
  a.RosterName.localeCompare(b.RosterName) ||
  a.AccountName.localeCompare(b.AccountName)

const hasOtherName = ({ DisplayName, RosterName }: Member): boolean => DisplayName !== RosterName

const displayName: Column<Member> = {
  head: 'Display name',
  class: 'roomy-only',
  look: 'soft',
  cell: (member) => hasOtherName(member) && member.DisplayName,
}

function List({ one, reloadClass }: { one: Class; reloadClass(): void }) {
  const loaded = useLoad(`members ${one.ID}`, () => readMembers(one.ID))
  const act = useAct()
  const [edited, setEdited] = useState('')
  const [slips, setSlips] = useState<readonly Slip[]>([])
  const reload = () => {
    loaded.reload()
    reloadClass()
  }
  const remove = ({ AccountName, RosterName, IsInvited }: Member) =>
    act.run(async () => {
      const text = IsInvited
        ? 'The account and its submissions stay. They have not accepted, so nothing of them stays in the results.'
        : 'The account stays, and the results keep what counted until now. Nothing later counts in this class.'
      if (!(await ask({ title: `Remove ${RosterName} (${AccountName})?`, text, action: 'Remove' }))) return
      await call('delete_class_member', { ClassID: one.ID, AccountName })
      reload()
    })
  const resetPassword = ({ AccountID, AccountName, RosterName }: Member) =>
    act.run(async () => {
      const text = 'The old password stops working and all their sessions end. The new one is shown here once.'
      if (!(await ask({ title: `A new password for ${RosterName}?`, text, action: 'Set a new password' }))) return
      const password = generatePassword()
      await call('update_account', { ID: AccountID, Password: password })
      setSlips((now) => joinSlips(now, [{ login: AccountName, name: RosterName, password }]))
    })
  const columnsOf = (members: readonly Member[]): readonly Column<Member>[] => [
    {
      head: 'Name',
      cell: (member) =>
        edited === member.AccountName ? (
          <RosterName
            one={one}
            member={member}
            close={() => {
              setEdited('')
              loaded.reload()
            }}
          />
        ) : (
          member.RosterName
        ),
    },
    { head: 'Login', look: 'soft', cell: ({ AccountName }) => <code>{AccountName}</code> },
    ...(members.some(hasOtherName) ? [displayName] : []),
    {
      head: 'Role',
      cell: ({ Role, IsInvited }) => {
        if (Role === 'teacher') return <span class="badge good">Teacher</span>
        return <>Student {IsInvited && <span class="badge wait">Invited</span>}</>
      },
    },
    {
      head: actsHead,
      look: 'acts',
      cell: (member) => (
        <MemberActs
          act={act}
          member={member}
          edit={() => setEdited(member.AccountName)}
          resetPassword={() => resetPassword(member)}
          remove={() => remove(member)}
        />
      ),
    },
  ]
  return (
    <div class="stack">
      <FailedAct act={act} />
      {slips.length > 0 && <PasswordSlips slips={slips} dismiss={() => setSlips([])} />}
      <div class="side no-print">
        <Ready of={loaded}>
          {(members) => (
            <div class="card flush scroll">
              <Table
                class="table fold"
                rows={members}
                columns={columnsOf(members)}
                keyOf={({ AccountID }) => AccountID}
              />
              {!members.some(({ Role }) => Role === 'student') && (
                <Empty title="There are no students yet">
                  <p>
                    <a href={classPath(one.ID, 'import')}>Add them from a list</a>, or give them a{' '}
                    <a href={classPath(one.ID, 'settings')}>join code</a>.
                  </p>
                </Empty>
              )}
            </div>
          )}
        </Ready>
        <AddMember one={one} reload={reload} />
      </div>
    </div>
  )
}

type ActsProps = {
  readonly act: Act
  readonly member: Member
  edit(): void
  resetPassword(): unknown
  remove(): unknown
}

const MemberActs = ({ act, member, edit, resetPassword, remove }: ActsProps) => (
  <span class="row row-acts">
    <ActButton act={act} what={`Rename ${member.AccountName}`} run={edit}>
      Rename
    </ActButton>
    {member.MaySetPassword && (
      <ActButton act={act} what={`New password for ${member.AccountName}`} run={resetPassword}>
        New password
      </ActButton>
    )}
    <ActButton act={act} what={`Remove ${member.AccountName}`} run={remove}>
      Remove
    </ActButton>
  </span>
)

function RosterName({ one, member, close }: { one: Class; member: Member; close(): void }) {
  const act = useAct()
  const [name, setName] = useState(member.RosterName)
  const submit = async () => {
    const { AccountName, Role } = member
    await call('put_class_member', { ClassID: one.ID, AccountName, Role, RosterName: name })
    close()
  }
  return (
    <Form act={act} submit={submit} class="row">
      <input
        class="input small"
        aria-label={`Name of ${member.AccountName} on the roster`}
        value={name}
        maxLength={64}
        required
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <button type="submit" class="button tight" disabled={act.isBusy}>
        Save
      </button>
      <button type="button" class="button tight quiet" onClick={close}>
        Cancel
      </button>
    </Form>
  )
}

function AddMember({ one, reload }: { one: Class; reload(): void }) {
  const act = useAct()
  const [login, setLogin] = useState('')
  const [name, setName] = useState('')
  const [role, setRole] = useState<Member['Role']>('student')
  const submit = async () => {
    const RosterName = name.trim()
    await call('put_class_member', {
      ClassID: one.ID,
      AccountName: login.trim(),
      Role: role,
      ...(RosterName && { RosterName }),
    })
    setLogin('')
    setName('')
    reload()
  }
  return (
    <section class="card" aria-labelledby="add-member">
      <h2 id="add-member">Add an account</h2>
      <Form act={act} submit={submit}>
        <Field label="Login" hint="The login of an existing account. Students are invited and have to accept.">
          <input
            value={login}
            onInput={(event) => setLogin(event.currentTarget.value)}
            autocapitalize="none"
            spellcheck={false}
            maxLength={39}
            required
          />
        </Field>
        <Field label="Name on the roster" hint="Leave empty to use the account’s display name.">
          <input value={name} onInput={(event) => setName(event.currentTarget.value)} maxLength={64} />
        </Field>
        <div class="field">
          <SelectChoice
            label="Role"
            value={role}
            choose={(next) => setRole(next as Member['Role'])}
            options={[
              ['student', 'Student'],
              ['teacher', 'Teacher'],
            ]}
          />
        </div>
        <Submit act={act}>Add</Submit>
      </Form>
    </section>
  )
}
