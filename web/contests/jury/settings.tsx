/** Pages to create a contest and to change its settings. */
import { useState } from 'preact/hooks'
import type { Contest, ContestDraft } from '../../api/contests.ts'
import { call } from '../../api/rpc.ts'
import { forgetAll } from '../../app/load.ts'
import { go } from '../../app/location.ts'
import type { ViewProps } from '../../app/view.ts'
import { ask } from '../../parts/ask.tsx'
import { useAct } from '../../parts/form.tsx'
import { Heading } from '../../parts/heading.tsx'
import { Only } from '../../parts/only.tsx'
import { Done, FailedAct } from '../../parts/state.tsx'
import { isRunning } from '../contest-clock.tsx'
import { contestPath } from '../shown.ts'
import { firstDraft } from './contest-draft.ts'
import { ContestForm } from './contest-form.tsx'
import { ManagePage } from './manage-page.tsx'
import { toId } from './to-id.ts'

export const NewContest = () => (
  <Only who="setters" title="New contest">
    <Heading title="New contest" note="Problems and teams follow on the next pages. Everything can be changed later." />
    <ContestForm first={firstDraft} action="Create contest" save={create} />
  </Only>
)

/** The ID is derived from the name, with a number if it is taken. */
async function create(draft: ContestDraft, clear: () => void): Promise<void> {
  const base = toId(draft.Name) || 'contest'
  const { ContestList } = await call('get_contest_list', { Offset: 0, Limit: 100 })
  const taken = new Set(ContestList.map(({ ID }) => ID.toLowerCase()))
  let ID = base
  for (let at = 2; taken.has(ID); at++) ID = `${base.slice(0, 32)}-${at}`
  await call('create_contest', { ID, ...draft })
  clear()
  forgetAll()
  go(contestPath(ID, 'manage/problems'))
}

const pickDraft = (contest: Contest): ContestDraft =>
  Object.fromEntries(
    Object.keys(firstDraft).map((name) => [name, contest[name as keyof ContestDraft]]),
  ) as unknown as ContestDraft

export const ManageSettings = ({ params }: ViewProps) => (
  <ManagePage id={params.contest!} tab="settings">
    {({ contest }, { reload }) => <Settings contest={contest} reload={reload} />}
  </ManagePage>
)

function Settings({ contest, reload }: { contest: Contest; reload(): void }) {
  const [isDone, setDone] = useState(false)
  const act = useAct()
  const [first, setFirst] = useState(() => pickDraft(contest))
  const save = async (draft: ContestDraft) => {
    setDone(false)
    // Unchanged fields are left out: for example, the start is refused once the contest has started.
    const changed = Object.entries(draft).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(first[name as keyof ContestDraft]),
    )
    await call('update_contest', { ID: contest.ID, ...Object.fromEntries(changed) })
    setFirst(draft)
    setDone(true)
    reload()
  }
  const remove = () =>
    act.run(async () => {
      const text = 'Its problems and accounts stay. This can’t be undone.'
      if (!(await ask({ title: `Delete “${contest.Name}”?`, text, action: 'Delete contest' }))) return
      await call('delete_contest', { ID: contest.ID })
      forgetAll()
      go('/-/contests')
    })
  return (
    <div class="stack">
      {contest.FinalizedTime !== null && (
        <p class="notice">
          <span>The results are final: the contest can no longer be changed.</span>
        </p>
      )}
      {isDone && <Done>Saved.</Done>}
      <ContestForm first={first} contest={contest} action="Save" save={save} />
      <section class="card text-width" aria-labelledby="contest-end">
        <h2 id="contest-end">Delete</h2>
        <p class="soft" id="delete-note">
          {isRunning(contest) && 'The contest is running: end it first. '}A contest with submissions can’t be deleted.
        </p>
        <button
          type="button"
          class="button danger"
          aria-describedby="delete-note"
          disabled={act.isBusy || isRunning(contest)}
          onClick={() => void remove()}
        >
          Delete contest
        </button>
        <FailedAct act={act} />
      </section>
    </div>
  )
}
