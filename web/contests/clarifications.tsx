/** Clarifications: teams ask and read; the jury answers, with ready-made answers, and announces. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { type Category, type Clarification, type Contest, categories } from '../api/contests.ts'
import { call } from '../api/rpc.ts'
import type { ViewProps } from '../app/view.ts'
import { Field, Form, Submit, useAct } from '../parts/form.tsx'
import { Done, Empty } from '../parts/state.tsx'
import { When } from '../parts/when.tsx'
import { categoryNames } from './category-names.ts'
import { ContestPage } from './contest-page.tsx'
import { Announcement, Answer } from './jury/answer.tsx'
import { noteRead } from './news.tsx'
import { ProblemLabel } from './problem-label.tsx'
import { isJury, type Shown } from './shown.ts'
import { useTeamNames } from './teams.ts'

export const ContestClarifications = ({ params }: ViewProps) => (
  <ContestPage id={params.contest!} tab="clarifications">
    {(shown, { reload }) => <View shown={shown} reload={reload} />}
  </ContestPage>
)

function View({ shown, reload }: { shown: Shown; reload(): void }) {
  const { contest, clarifications, totalClarifications } = shown
  const newest = useRef(0)
  newest.current = clarifications[0]?.ID ?? 0
  // Clarifications that arrive while this page is open count as read once it is left.
  useEffect(() => {
    noteRead(contest.ID, newest.current)
    return () => noteRead(contest.ID, newest.current)
  }, [contest.ID])
  const isClosed = contest.FinalizedTime !== null
  return (
    <div class="side">
      <div class="stack">
        {clarifications.length === 0 && (
          <div class="card">
            <Empty title="There are no clarifications yet">
              <p>Questions, answers and announcements appear here.</p>
            </Empty>
          </div>
        )}
        {listThreads(clarifications).map(({ first, replies }) => (
          <Thread key={first.ID} contest={contest} first={first} replies={replies} reload={reload} />
        ))}
        {totalClarifications > clarifications.length && (
          <p class="soft small">
            The newest {clarifications.length} of {totalClarifications} are shown.
          </p>
        )}
      </div>
      <div class="stack">
        {!isClosed && contest.Role === 'team' && <Ask contest={contest} reload={reload} />}
        {!isClosed && isJury(contest) && <Announcement contest={contest} reload={reload} />}
      </div>
    </div>
  )
}

type ThreadOf = { readonly first: Clarification; readonly replies: Clarification[] }

/** Groups answers under their questions; an answer whose question is hidden stands alone. Open questions come first. */
function listThreads(list: readonly Clarification[]): readonly ThreadOf[] {
  const known = new Map<number, ThreadOf>()
  for (const one of list)
    if (one.ReplyTo === null || !list.some(({ ID }) => ID === one.ReplyTo))
      known.set(one.ID, { first: one, replies: [] })
  for (const one of list.toReversed()) if (one.ReplyTo !== null) known.get(one.ReplyTo)?.replies.push(one)
  return [...known.values()].sort((a, b) => Number(b.first.IsOpen) - Number(a.first.IsOpen))
}

function Subject({ contest, one }: { contest: Contest; one: Clarification }) {
  const problem = contest.ProblemList.find(({ ID }) => ID === one.ProblemID)
  if (problem)
    return (
      <span class="row problem-name">
        <ProblemLabel problem={problem} /> {problem.DisplayName}
      </span>
    )
  return <>{one.ProblemID ?? categoryNames[(one.Category ?? 'general') as Category] ?? one.Category}</>
}

type ThreadProps = {
  readonly contest: Contest
  readonly first: Clarification
  readonly replies: readonly Clarification[]
  reload(): void
}

function Thread({ contest, first, replies, reload }: ThreadProps) {
  return (
    <article class="card" aria-label={`Clarification ${first.ID}`}>
      <div class="row spread">
        <h2 class="clarification-title">
          <Subject contest={contest} one={first} />
        </h2>
        {first.IsOpen && <span class="badge wait">Not answered yet</span>}
      </div>
      {[first, ...replies].map((one) => (
        <Message key={one.ID} contest={contest} one={one} />
      ))}
      {isJury(contest) && first.FromTeamID !== null && contest.FinalizedTime === null && (
        <Answer contest={contest} question={first} reload={reload} />
      )}
    </article>
  )
}

function Message({ contest, one }: { contest: Contest; one: Clarification }) {
  return (
    <div class={one.FromTeamID === null ? 'message of-jury' : 'message'}>
      <p class="soft small">
        <Sender contest={contest} one={one} /> · <When at={one.CreatedTime} />
      </p>
      <p class="comment-text">{one.Text}</p>
    </div>
  )
}

function Sender({ contest, one }: { contest: Contest; one: Clarification }) {
  if (contest.Role === 'jury') return <SenderByName contest={contest} one={one} />
  if (one.FromTeamID !== null) return <b>Your team</b>
  return (
    <>
      <b>Jury</b> {one.IsToAll ? 'to everybody' : 'to your team'}
    </>
  )
}

function SenderByName({ contest, one }: { contest: Contest; one: Clarification }) {
  const nameOf = useTeamNames(contest.ID)
  if (one.FromTeamID !== null) return <b>{nameOf(one.FromTeamID)}</b>
  const groups = one.ToGroupIDList.map((id) => contest.GroupList.find(({ ID }) => ID === id)?.Name ?? id)
  const to = one.IsToAll ? ['everybody'] : [...groups, ...one.ToTeamIDList.map(nameOf)]
  return (
    <>
      <b>Jury</b> to {to.join(', ')}
    </>
  )
}

function Ask({ contest, reload }: { contest: Contest; reload(): void }) {
  const act = useAct()
  const [about, setAbout] = useState('general')
  const [text, setText] = useState('')
  const [isDone, setDone] = useState(false)
  const submit = async () => {
    setDone(false)
    const isCategory = (categories as readonly string[]).includes(about)
    await call('create_clarification', {
      ContestID: contest.ID,
      ...(isCategory ? { Category: about as Category } : { ProblemID: about.slice(1) }),
      Text: text,
    })
    setText('')
    setAbout('general')
    setDone(true)
    reload()
  }
  return (
    <section class="card" aria-labelledby="ask-jury">
      <h2 id="ask-jury">Ask the jury</h2>
      {isDone && <Done>Your question was sent. The answer will appear here.</Done>}
      <Form act={act} submit={submit}>
        <Field label="About">
          <select value={about} onChange={(event) => setAbout(event.currentTarget.value)}>
            {contest.ProblemList.map(({ ID, Label, DisplayName }) => (
              <option key={ID} value={`.${ID}`}>
                {Label}. {DisplayName}
              </option>
            ))}
            {categories.map((one) => (
              <option key={one} value={one}>
                {categoryNames[one]}
              </option>
            ))}
          </select>
        </Field>
        <Field label="Question">
          <textarea
            rows={4}
            maxLength={10_000}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
            required
          />
        </Field>
        <Submit act={act} busy="Sending …">
          Send question
        </Submit>
      </Form>
    </section>
  )
}
