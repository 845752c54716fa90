/** An invitation to a class: who invites, what it means to accept, and the two answers. */
import type { Class } from '../../api/classes.ts'
import { call } from '../../api/rpc.ts'
import { forgetAll } from '../../app/load.ts'
import { useSession } from '../../app/session.ts'
import { useAct } from '../../parts/form.tsx'
import { FailedAct } from '../../parts/state.tsx'

type Props = {
  readonly one: Pick<Class, 'ID' | 'Name' | 'TeacherList' | 'TeacherNameList'>
  answered(isAccepted: boolean): void
}

export function Invitation({ one: { ID, Name, TeacherList, TeacherNameList }, answered }: Props) {
  const act = useAct()
  // With logins: anybody may choose any display name.
  const teachers = TeacherNameList.map((name, at) => `${name} (${TeacherList[at]})`).join(', ')
  const login = useSession().account!.AccountName
  const answer = (isAccepted: boolean) =>
    act.run(async () => {
      if (isAccepted) await call('accept_class_invitation', { ClassID: ID })
      else await call('delete_class_member', { ClassID: ID, AccountName: login })
      forgetAll()
      answered(isAccepted)
    })
  return (
    <section class="notice" aria-label={`Invitation to ${Name}`}>
      <div>
        <p>
          {teachers} added you to the class <a href={`/-/classes/${encodeURIComponent(ID)}`}>{Name}</a>.
        </p>
        <p class="soft small">
          If you accept, its teachers can read what you submit to the problems of its sheets, and you can’t delete what
          counts there. You can leave at any time.
        </p>
        <FailedAct act={act} />
      </div>
      <div class="row">
        <button
          type="button"
          class="button tight main"
          aria-label={`Accept the invitation to ${Name}`}
          disabled={act.isBusy}
          onClick={() => void answer(true)}
        >
          Accept
        </button>
        <button
          type="button"
          class="button tight"
          aria-label={`Decline the invitation to ${Name}`}
          disabled={act.isBusy}
          onClick={() => void answer(false)}
        >
          Decline
        </button>
      </div>
    </section>
  )
}
