/** Sets the result of a submission by hand, with the caller's own password and a reason. */
import { useState } from 'preact/hooks'
import { call } from '../../api/rpc.ts'
import { results } from '../../judge/results.ts'
import { Field, Form, Submit, useAct } from '../../parts/form.tsx'
import { useRevealed } from '../../parts/revealed.ts'

export function Override({ id, close }: { id: number; close(): void }) {
  const act = useAct()
  const place = useRevealed<HTMLHeadingElement>(id)
  const [result, setResult] = useState(1)
  const [reason, setReason] = useState('')
  const [password, setPassword] = useState('')
  const submit = async () => {
    await call('override_result', { ID: id, Result: result, Reason: reason, Password: password })
    close()
  }
  return (
    <section class="card text-width" aria-labelledby="override">
      <h2 id="override" tabIndex={-1} ref={place}>
        Override the result of submission {id}
      </h2>
      <Form act={act} submit={submit}>
        <Field label="Result">
          <select value={result} onChange={(event) => setResult(Number(event.currentTarget.value))}>
            {results.map(
              (text, at) =>
                at > 0 && (
                  <option key={at} value={at}>
                    {text}
                  </option>
                ),
            )}
          </select>
        </Field>
        <Field label="Reason" hint="Kept in the audit log.">
          <input value={reason} maxLength={1_000} required onInput={(event) => setReason(event.currentTarget.value)} />
        </Field>
        <Field label="Your password">
          <input
            type="password"
            autocomplete="current-password"
            value={password}
            required
            onInput={(event) => setPassword(event.currentTarget.value)}
          />
        </Field>
        <div class="row">
          <Submit act={act} busy="Saving …">
            Override result
          </Submit>
          <button type="button" class="button" onClick={close}>
            Cancel
          </button>
        </div>
      </Form>
    </section>
  )
}
