/** The jury's forms: answers, some of them ready-made, and announcements. */
import { useState } from 'preact/hooks'
import { type Category, type Clarification, type Contest, categories } from '../../api/contests.ts'
import { call } from '../../api/rpc.ts'
import { Field, Form, Submit, useAct } from '../../parts/form.tsx'
import { Done } from '../../parts/state.tsx'
import { categoryNames } from '../category-names.ts'
import { useTeams } from '../teams.ts'

const cannedAnswers = [
  'No comment. Please read the problem statement carefully.',
  'Yes.',
  'No.',
  'This is answered in the problem statement.',
  'The problem statement is correct.',
  'We are looking into it and will come back to you.',
] as const

type AnswerProps = { readonly contest: Contest; readonly question: Clarification; reload(): void }

export function Answer({ contest, question, reload }: AnswerProps) {
  const act = useAct()
  const [text, setText] = useState('')
  const [isToAll, setToAll] = useState(false)
  const submit = async () => {
    await call('create_clarification', {
      ContestID: contest.ID,
      ReplyTo: question.ID,
      Text: text,
      ...(isToAll && { ToTeamIDList: [], ToGroupIDList: [] }),
    })
    setText('')
    setToAll(false)
    reload()
  }
  const form = (
    <Form act={act} submit={submit}>
      <Field label="Ready-made answer">
        <select value="" onChange={(event) => setText(event.currentTarget.value || text)}>
          <option value="">Choose one …</option>
          {cannedAnswers.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      </Field>
      <Field label="Answer">
        <textarea
          rows={3}
          maxLength={10_000}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          required
        />
      </Field>
      <label class="check">
        <input type="checkbox" checked={isToAll} onChange={(event) => setToAll(event.currentTarget.checked)} />
        <span>
          To all teams <small class="soft">Otherwise only the team that asked sees it.</small>
        </span>
      </label>
      <Submit act={act} busy="Sending …">
        Send answer
      </Submit>
    </Form>
  )
  if (question.IsOpen) return form
  return (
    <details class="answer-again">
      <summary>Answer again</summary>
      {form}
    </details>
  )
}

/** Beyond this many teams, only groups are offered. */
const mostOffered = 1_000

export function Announcement({ contest, reload }: { contest: Contest; reload(): void }) {
  const act = useAct()
  const teams = useTeams(contest.ID)
  const [about, setAbout] = useState('general')
  const [to, setTo] = useState('')
  const [text, setText] = useState('')
  const [isDone, setDone] = useState(false)
  const submit = async () => {
    setDone(false)
    const isCategory = (categories as readonly string[]).includes(about)
    const [kind, id] = [to.slice(0, 1), to.slice(1)]
    await call('create_clarification', {
      ContestID: contest.ID,
      ...(isCategory ? { Category: about as Category } : { ProblemID: about.slice(1) }),
      Text: text,
      ToTeamIDList: kind === 't' ? [id] : [],
      ToGroupIDList: kind === 'g' ? [id] : [],
    })
    setText('')
    setDone(true)
    reload()
  }
  return (
    <section class="card" aria-labelledby="announce">
      <h2 id="announce">Announce</h2>
      {isDone && <Done>Sent.</Done>}
      <Form act={act} submit={submit}>
        <Field label="To">
          <select value={to} onChange={(event) => setTo(event.currentTarget.value)}>
            <option value="">Everyone, including the public</option>
            {contest.GroupList.map(({ ID, Name }) => (
              <option key={`g${ID}`} value={`g${ID}`}>
                Group {Name}
              </option>
            ))}
            {(teams.value ?? []).slice(0, mostOffered).map(({ ID, Name }) => (
              <option key={`t${ID}`} value={`t${ID}`}>
                {Name}
              </option>
            ))}
          </select>
        </Field>
        <Field label="About">
          <select value={about} onChange={(event) => setAbout(event.currentTarget.value)}>
            {categories.map((one) => (
              <option key={one} value={one}>
                {categoryNames[one]}
              </option>
            ))}
            {contest.ProblemList.map(({ ID, Label, DisplayName }) => (
              <option key={ID} value={`.${ID}`}>
                {Label}. {DisplayName}
              </option>
            ))}
          </select>
        </Field>
        <Field label="Announcement">
          <textarea
            rows={4}
            maxLength={10_000}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
            required
          />
        </Field>
        <Submit act={act} busy="Sending …">
          Send announcement
        </Submit>
      </Form>
    </section>
  )
}
