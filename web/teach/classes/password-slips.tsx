/** Password slips to print and cut: the server's address, name, login and password, nothing of the page around them. */
import { useState } from 'preact/hooks'
import { useSession } from '../../app/session.ts'
import { ask } from '../../parts/ask.tsx'
import { Field } from '../../parts/form.tsx'
import { usePrintOnce } from '../../parts/print-once.ts'
import { focusTitle, useRevealed } from '../../parts/revealed.ts'

export type Slip = { readonly login: string; readonly name: string; readonly password: string }

type Props = {
  readonly slips: readonly Slip[]
  /** Where to begin; the server itself unless said. */
  readonly path?: string
  dismiss(): void
}

/** A login that got another password has one slip. */
export const joinSlips = (before: readonly Slip[], made: readonly Slip[]): readonly Slip[] => [
  ...before.filter(({ login }) => !made.some((one) => one.login === login)),
  ...made,
]

/** Whether the address leads every computer to itself. */
const isOwnMachine = (address: string): boolean =>
  /^\s*(?:https?:\/\/)?(?:localhost|127(?:\.\d+){3}|\[::1\])(?:[:/]|\s*$)/i.test(address)

export function PasswordSlips({ slips, path = '', dismiss }: Props) {
  const { info } = useSession()
  const what = slips.map(({ login, password }) => `${login} ${password}`).join('\n')
  const place = useRevealed<HTMLHeadingElement>(what)
  const [address, setAddress] = useState((info.PublicAddress ?? location.origin) + path)
  const { isPrinted, printAll } = usePrintOnce(what)
  const close = async () => {
    const text = 'These passwords were not printed, and they will not be shown again.'
    if (!isPrinted && !(await ask({ title: 'Dismiss the passwords?', text, action: 'Dismiss' }))) return
    dismiss()
    focusTitle()
  }
  return (
    <section class="card slips" aria-labelledby="slips">
      <div class="no-print">
        <div class="row">
          <h2 id="slips" class="grow" tabIndex={-1} ref={place}>
            Passwords (they will not be shown again)
          </h2>
          <div class="row">
            <button type="button" class="button main" onClick={printAll}>
              Print slips
            </button>
            <button type="button" class="button" onClick={() => void close()}>
              Dismiss
            </button>
          </div>
        </div>
        <Field
          label="Address on the slips"
          hint="Where people sign in. Change it if they reach the server by another one."
        >
          <input value={address} maxLength={256} onInput={(event) => setAddress(event.currentTarget.value)} />
        </Field>
        <div role="status">
          {isOwnMachine(address) && (
            <p class="notice">
              Other computers can’t reach the server by this address. Enter its name or IP address in your network.
            </p>
          )}
        </div>
      </div>
      <ul class="slip-list">
        {slips.map(({ login, name, password }) => (
          <li class="slip" key={login}>
            <strong>{name}</strong>
            <dl>
              {address.trim() !== '' && (
                <>
                  <dt>Address</dt>
                  <dd>{address}</dd>
                </>
              )}
              <dt>Login</dt>
              <dd>
                <code>{login}</code>
              </dd>
              <dt>Password</dt>
              <dd>
                <code>{password}</code>
              </dd>
            </dl>
          </li>
        ))}
      </ul>
    </section>
  )
}
