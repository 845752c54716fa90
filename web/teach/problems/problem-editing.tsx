/** Making a problem, and changing or deleting one. */
import { useState } from 'preact/hooks'
import { call } from '../../api/rpc.ts'
import { forgetAll, useLoad } from '../../app/load.ts'
import { go } from '../../app/location.ts'
import { ownsProblem, useSession } from '../../app/session.ts'
import type { ViewProps } from '../../app/view.ts'
import { ask } from '../../parts/ask.tsx'
import { useAct } from '../../parts/form.tsx'
import { Heading } from '../../parts/heading.tsx'
import { type FieldWords, settleChanges } from '../../parts/meanwhile.tsx'
import { Only, Refusal } from '../../parts/only.tsx'
import { Failed, Ready } from '../../parts/state.tsx'
import { HeldNotice, HoldChoice, hold } from './held.tsx'
import { LegacyDownload } from './legacy-download.tsx'
import { type ProblemFields, ProblemForm } from './problem-form.tsx'

const mebibyte = 1024 * 1024

const blank: ProblemFields = {
  DisplayName: '',
  Description: '',
  TimeLimitInMillisecond: 1_000,
  MemoryLimitInByte: 256 * mebibyte,
  ExampleList: [{ Input: '', Output: '' }],
  TagList: [],
}

const fields: FieldWords<ProblemFields> = {
  DisplayName: ['Name'],
  TimeLimitInMillisecond: ['Time limit (ms)'],
  MemoryLimitInByte: ['Memory limit (MiB)', (bytes) => String(bytes / mebibyte)],
  TagList: ['Tags', (list) => list.join(', ')],
  Description: ['Statement'],
  ExampleList: ['Examples', (list) => list.map(({ Input, Output }) => `${Input}\n→ ${Output}`).join('\n')],
}

async function readFields(UUID: string) {
  const [{ Problem }, { TagList }] = await Promise.all([
    call('get_problem', { UUID }),
    call('get_problem_tag_list', { UUID }),
  ])
  const { DisplayName, Description, TimeLimitInMillisecond, MemoryLimitInByte, ExampleList, Author } = Problem
  const tags = TagList.map(({ Tag }) => Tag)
  const own = { DisplayName, Description, TimeLimitInMillisecond, MemoryLimitInByte, ExampleList, TagList: tags }
  return { own, Author }
}

export const NewProblem = () => (
  <Only who="setters" title="Write a problem">
    <Writing />
  </Only>
)

function Writing() {
  const [isHeld, setHeld] = useState(true)
  const save = async ({ TagList, ...draft }: ProblemFields) => {
    const { Problem } = await call('create_problem', draft)
    if (TagList.length > 0) await call('put_problem_tags', { UUID: Problem.UUID, TagList })
    if (isHeld) await hold(Problem.UUID, true)
    forgetAll()
    return `/-/judge/problems/${Problem.UUID}/tests`
  }
  return (
    <>
      <Heading title="Write a problem" note="Tests come next." />
      <ProblemForm first={blank} action="Save and continue to tests" save={save}>
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
  const loaded = useLoad(`edit ${uuid}`, () => readFields(uuid))
  const act = useAct()
  const remove = () =>
    act.run(async () => {
      const name = loaded.value!.own.DisplayName
      const text = 'Its tests and all its submissions are deleted too. This can’t be undone.'
      if (!(await ask({ title: `Delete “${name}”?`, text, action: 'Delete problem' }))) return
      await call('delete_problem', { UUID: uuid })
      forgetAll()
      go('/-/judge')
    })
  const save = async (draft: ProblemFields, begun: ProblemFields) => {
    const { own: now } = await readFields(uuid)
    const changes = await settleChanges({ first: begun, draft, now, fields })
    if (!changes) return undefined
    const { TagList, ...others } = changes
    if (Object.keys(others).length > 0) await call('update_problem', { UUID: uuid, ...others })
    if (TagList) await call('put_problem_tags', { UUID: uuid, TagList })
    forgetAll()
    return `/-/judge/problems/${uuid}`
  }
  return (
    <Ready of={loaded}>
      {({ Author, own }) =>
        !ownsProblem(session, { Author }) ? (
          <Refusal title={`Edit ${own.DisplayName}`}>
            Only its author, {Author.DisplayName}, and admins can change it.
          </Refusal>
        ) : (
          <>
            <Heading title={`Edit ${own.DisplayName}`}>
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
            <ProblemForm uuid={uuid} first={own} action="Save" save={save} />
            <LegacyDownload uuid={uuid} />
          </>
        )
      }
    </Ready>
  )
}
