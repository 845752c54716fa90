/** Comments on a submission, or on a line of it, by its author, their teachers and who keeps the problem. */
import { useState } from 'preact/hooks'
import type { SubmissionComment } from '../api/classes.ts'
import { call } from '../api/rpc.ts'
import type { Loaded } from '../app/load.ts'
import { isAdmin, useSession } from '../app/session.ts'
import { ActButton, Field, Form, Submit, useAct } from '../parts/form.tsx'
import { FailedAct, Ready } from '../parts/state.tsx'
import { When } from '../parts/when.tsx'

type Props = {
  readonly id: number
  readonly lines: number
  readonly loaded: Loaded<readonly SubmissionComment[]>
  /** As the reader knows its author. */
  nameOf(comment: SubmissionComment): string
}

export function Comments({ id, lines, loaded, nameOf }: Props) {
  const session = useSession()
  const act = useAct()
  const removing = useAct()
  const [line, setLine] = useState('')
  const [text, setText] = useState('')
  const put = async () => {
    await call('put_submission_comment', { ID: id, Line: line === '' ? null : Number(line), Text: text })
    setText('')
    setLine('')
    loaded.reload()
  }
  return (
    <section class="card below" aria-labelledby="comments">
      <h2 id="comments">Comments</h2>
      <Ready of={loaded}>
        {(list) => (
          <ul class="rows">
            {list.map((comment) => {
              const { ID, AccountName, Line, Text, Time } = comment
              return (
                <li key={ID}>
                  <div class="grow">
                    <strong>{nameOf(comment)}</strong> <small class="soft">{AccountName}</small>{' '}
                    <span class="soft small">
                      {Line !== null && `line ${Line} · `}
                      <When at={Time} />
                    </span>
                    <p class="comment-text">{Text}</p>
                  </div>
                  {(isAdmin(session) || session.account?.AccountName === AccountName) && (
                    <ActButton
                      act={removing}
                      what={`Delete the comment of ${AccountName}`}
                      run={() =>
                        removing.run(async () => {
                          await call('delete_submission_comment', { ID: id, CommentID: ID })
                          loaded.reload()
                        })
                      }
                    >
                      Delete
                    </ActButton>
                  )}
                </li>
              )
            })}
          </ul>
        )}
      </Ready>
      <FailedAct act={removing} />
      <Form act={act} submit={put}>
        <div class="comment-fields">
          <Field label="Comment">
            <textarea
              rows={2}
              maxLength={10_000}
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
              required
            />
          </Field>
          <Field label="Line" hint="Leave empty to comment on the whole program.">
            <input
              type="number"
              min={1}
              max={lines}
              value={line}
              onInput={(event) => setLine(event.currentTarget.value)}
            />
          </Field>
        </div>
        <Submit act={act}>Comment</Submit>
      </Form>
    </section>
  )
}
