/** Sends a request of the documents in one's own name: placeholders are filled in, and the raw answer is shown. */
import { render } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { unreachable } from '../api/fault.ts'
import { getSession } from '../app/session.ts'
import { Copy } from '../parts/copy.tsx'
import { Field, Form, Submit, useAct } from '../parts/form.tsx'
import { type Answer, fillPath, namesIn, type Request, readRequest, send } from './requests.ts'

/** Puts a button beside each request of a document that was rendered. */
export function offerTrying(place: Element): void {
  const { account } = getSession()
  const known: Record<string, string> = account ? { ACCOUNT: String(account.ID) } : {}
  for (const element of place.querySelectorAll('pre.code, p > code, td > code')) {
    const request = readRequest(element, known)
    if (!request) continue
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'button tight try'
    const name = document.createElement('span')
    name.className = 'hidden-text'
    name.textContent = ` ${request.title}`
    button.append('Try it', name)
    button.addEventListener('click', () => openTrial(request))
    element.after(button)
  }
}

export function openTrial(request: Request): void {
  const place = document.createElement('div')
  document.body.append(place)
  const close = () => {
    render(null, place)
    place.remove()
  }
  render(<Trial request={request} close={close} />, place)
}

function Trial({ request: { title, method, path, body: first }, close }: { request: Request; close(): void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const act = useAct()
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const [base = '/', firstQuery = ''] = path.split('?')
  const [query, setQuery] = useState(firstQuery)
  const [body, setBody] = useState(first)
  const [answer, setAnswer] = useState<Answer>()
  useEffect(() => {
    dialog.current?.showModal()
    dialog.current?.querySelector<HTMLElement>('input, textarea')?.focus()
  }, [])
  const isCall = base === '/' && first !== undefined
  const filled = `${fillPath(base, values)}${query && `?${query.replace(/^\?/, '')}`}`
  const whole = isCall && body !== undefined ? wrapCall(title, body) : body
  const submit = async () => {
    setAnswer(undefined)
    setAnswer(
      await send(method, filled, whole).catch(() => {
        throw unreachable()
      }),
    )
  }
  const { account } = getSession()
  return (
    <dialog ref={dialog} class="trial" onClose={close} aria-labelledby="trial">
      <div class="row">
        <h2 id="trial" class="grow">
          Try <code>{title}</code>
        </h2>
        <button type="button" class="button tight" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </div>
      <p class="soft small">
        {account
          ? `The request is real and runs as ${account.AccountName}.`
          : 'You are not signed in. Only public requests work.'}
      </p>
      <Form act={act} submit={submit}>
        {namesIn(base).map((name) => (
          <Field key={name} label={name}>
            <input
              value={values[name] ?? ''}
              onInput={(event) => setValues({ ...values, [name]: event.currentTarget.value })}
              required
            />
          </Field>
        ))}
        {!isCall && (
          <Field label="Query" hint="Optional, such as per_page=5&page=2.">
            <input value={query} onInput={(event) => setQuery(event.currentTarget.value)} />
          </Field>
        )}
        {body !== undefined && (
          <Field label={isCall ? 'Params, as JSON' : 'Body, as JSON'}>
            <textarea
              class="mono"
              rows={Math.min(14, body.split('\n').length + 1)}
              spellcheck={false}
              value={body}
              onInput={(event) => setBody(event.currentTarget.value)}
            />
          </Field>
        )}
        <div class="row">
          <Submit act={act} busy="Sending …">
            Send
          </Submit>
          <span class="small soft">as a command:</span>
          <Copy text={toCurl(method, filled, whole)} what="it as a curl command" />
        </div>
      </Form>
      {answer && (
        <section class="below" aria-label="Answer" role="status">
          <p class="label">Answer: {answer.status}</p>
          <pre tabIndex={0}>{answer.text || '(nothing)'}</pre>
        </section>
      )}
    </dialog>
  )
}

const wrapCall = (method: string, params: string): string =>
  `{"jsonrpc":"2.0","id":"${crypto.randomUUID()}","method":"${method}","params":${params}}`

function toCurl(method: string, path: string, body: string | undefined): string {
  const data = body === undefined ? '' : ` -H 'Content-Type: application/json' -d '${body.replaceAll("'", "'\\''")}'`
  return `curl -X ${method} -H "Authorization: Bearer $TOKEN"${data} '${location.origin}${path}'`
}
