/** Making a problem, and changing or deleting one. */
import { useState } from 'preact/hooks'
import type { ProblemDraft } from '../../api/operations.ts'
import { call } from '../../api/rpc.ts'
import { forgetAll, useLoad } from '../../app/load.ts'
import { go } from '../../app/location.ts'
import { ownsProblem, useSession } from '../../app/session.ts'
import type { ViewProps } from '../../app/view.ts'
import { ask } from '../../parts/ask.tsx'
import { useAct } from '../../parts/form.tsx'
import { Heading } from '../../parts/heading.tsx'
import { Only, Refusal } from '../../parts/only.tsx'
import { Failed, Ready } from '../../parts/state.tsx'
import { HeldNotice, HoldChoice, hold } from './held.tsx'
import { LegacyDownload } from './legacy-download.tsx'
import { ProblemForm } from './problem-form.tsx'

const blank: ProblemDraft = {
  DisplayName: '',
  Description: '',
  TimeLimitInMillisecond: 1_000,
  MemoryLimitInByte: 256 * 1024 * 1024,
  ExampleList: [{ Input: '', Output: '' }],
}

export const NewProblem = () => (
  <Only who="setters" title="Write a problem">
    <Writing />
  </Only>
)

function Writing() {
  const [isHeld, setHeld] = useState(true)
  const save = async (draft: ProblemDraft, TagList: readonly string[]) => {
    const { Problem } = await call('create_problem', draft)
    if (TagList.length > 0) await call('put_problem_tags', { UUID: Problem.UUID, TagList })
    if (isHeld) await hold(Problem.UUID, true)
    forgetAll()
    return `/-/judge/problems/${Problem.UUID}/tests`
  }
  return (
    <>
      <Heading title="Write a problem" note="Tests come next." />
      <ProblemForm first={blank} firstTags="" action="Save and continue to tests" save={save}>
        <HoldChoice isHeld={isHeld} choose={setHeld} />
      </ProblemForm>
    </>
  )
}

export function EditProblem({ params }: ViewProps) {
  return (
    <Only who="setters" title="Edit a problem">
      <Editing uuid={params.uuid!} />
    </Only>
  )
}

function Editing({ uuid }: { uuid: string }) {
  const session = useSession()
  const loaded = useLoad(`edit ${uuid}`, async () => {
    const [{ Problem }, { TagList }] = await Promise.all([
      call('get_problem', { UUID: uuid }),
      call('get_problem_tag_list', { UUID: uuid }),
    ])
    return { ...Problem, tags: TagList.map(({ Tag }) => Tag).join(', ') }
  })
  const act = useAct()
  const remove = () =>
    act.run(async () => {
      const name = loaded.value!.DisplayName
      const text = 'Its tests and all its submissions are deleted too. This can’t be undone.'
      if (!(await ask({ title: `Delete “${name}”?`, text, action: 'Delete problem' }))) return
      await call('delete_problem', { UUID: uuid })
      forgetAll()
      go('/-/judge')
    })
  const save = async (draft: ProblemDraft, TagList: readonly string[]) => {
    await call('update_problem', { UUID: uuid, ...draft })
    await call('put_problem_tags', { UUID: uuid, TagList })
    forgetAll()
    return `/-/judge/problems/${uuid}`
  }
  return (
    <Ready of={loaded}>
      {({ Author, DisplayName, Description, TimeLimitInMillisecond, MemoryLimitInByte, ExampleList, tags }) =>
        !ownsProblem(session, { Author }) ? (
          <Refusal title={`Edit ${DisplayName}`}>
            Only its author, {Author.DisplayName}, and admins can change it.
          </Refusal>
        ) : (
          <>
            <Heading title={`Edit ${DisplayName}`}>
              <a class="button" href={`/-/judge/problems/${uuid}`}>
                View problem
              </a>
              <a class="button" href={`/-/judge/problems/${uuid}/tests`}>
                Tests
              </a>
              <a class="button" href={`/-/judge/problems/${uuid}/judging`}>
                Judging
              </a>
              <a class="button" href={`/-/judge/problems/${uuid}/package`} download>
                Download package
              </a>
              <button type="button" class="button danger" disabled={act.isBusy} onClick={() => void remove()}>
                Delete
              </button>
            </Heading>
            {act.error !== undefined && <Failed error={act.error} />}
            <HeldNotice uuid={uuid} offersHolding />
            <ProblemForm
              uuid={uuid}
              first={{ DisplayName, Description, TimeLimitInMillisecond, MemoryLimitInByte, ExampleList }}
              firstTags={tags}
              action="Save"
              save={save}
            />
            <LegacyDownload uuid={uuid} />
          </>
        )
      }
    </Ready>
  )
}
