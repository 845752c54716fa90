/** Signing in, and making an account. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { Fault } from '../api/fault.ts'
import { call } from '../api/rpc.ts'
import { go, usePlace } from '../app/location.ts'
import { signIn, useSession } from '../app/session.ts'
import { Field, Form, Submit, useAct } from '../parts/form.tsx'
import { Heading } from '../parts/heading.tsx'

/** Only addresses of this page are allowed, so that a crafted link can't redirect elsewhere after sign-in. */
function useTarget(): string {
  const to = usePlace().query.get('to') ?? ''
  // The view stays for a moment after the page has gone there, whose address names no target.
  const [target] = useState(/^\/-\/(?!sign-)[\w/?=&%.~-]*$/.test(to) ? to : '/-/')
  return target
}

export function SignIn() {
  const { account, info } = useSession()
  const target = useTarget()
  const act = useAct()
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const first = useRef<HTMLInputElement>(null)
  useEffect(() => first.current?.focus(), [])
  useEffect(() => {
    if (account) go(target, { replaces: true })
  }, [account, target])
  return (
    <div class="narrow">
      <Heading title="Sign in" />
      <div class="card">
        <Form act={act} submit={() => enter(name, password)}>
          <Field label="Name">
            <input
              ref={first}
              value={name}
              onInput={(event) => setName(event.currentTarget.value)}
              autocomplete="username"
              autocapitalize="none"
              spellcheck={false}
              maxLength={64}
              required
            />
          </Field>
          <Field label="Password">
            <input
              type="password"
              value={password}
              onInput={(event) => setPassword(event.currentTarget.value)}
              autocomplete="current-password"
              maxLength={256}
              required
            />
          </Field>
          <Submit act={act} busy="Signing in …">
            Sign in
          </Submit>
        </Form>
      </div>
      {!info.Setting.Account.DisableAccountCreation && (
        <p class="soft small">
          <br />
          New here? <a href="/-/sign-up">Create an account</a>.
        </p>
      )}
    </div>
  )
}

/** Keyboards of phones add a blank to a name; a password may begin or end with one. */
async function enter(name: string, password: string): Promise<void> {
  try {
    await signIn(name.trim(), password)
  } catch (error) {
    if (!(error instanceof Fault) || password === password.trim()) throw error
    throw new Fault(error.code, `${error.message} The password begins or ends with a blank.`, error.data)
  }
}

export function SignUp() {
  const { account, info } = useSession()
  const act = useAct()
  const [name, setName] = useState('')
  const [displayName, setDisplayName] = useState('')
  const [password, setPassword] = useState('')
  const [role, setRole] = useState('contestant')
  useEffect(() => {
    if (account) go('/-/judge', { replaces: true })
  }, [account])
  const submit = async () => {
    const DisplayName = displayName.trim() || name
    await call('create_account', { AccountName: name, DisplayName, Role: role, Password: password })
    await signIn(name, password)
  }
  if (info.Setting.Account.DisableAccountCreation)
    return (
      <div class="narrow">
        <Heading title="Create an account" />
        <p>Sign-up is closed. Ask the people who run this server for an account.</p>
      </div>
    )
  return (
    <div class="narrow">
      <Heading title="Create an account" />
      <div class="card">
        <Form act={act} submit={submit}>
          <Field label="Name" hint="Letters, digits and hyphens. You sign in with it, and it can’t be changed later.">
            <input
              value={name}
              onInput={(event) => setName(event.currentTarget.value)}
              autocomplete="username"
              autocapitalize="none"
              spellcheck={false}
              pattern="[A-Za-z0-9](?:[A-Za-z0-9\-]*[A-Za-z0-9])?"
              title="Letters, digits and hyphens, no hyphen at an end"
              maxLength={39}
              required
            />
          </Field>
          <Field label="Display name" hint="What others see. If empty, your sign-in name is used.">
            <input
              value={displayName}
              onInput={(event) => setDisplayName(event.currentTarget.value)}
              autocomplete="name"
              maxLength={64}
            />
          </Field>
          <Field label="Password" hint="At least 8 characters.">
            <input
              type="password"
              value={password}
              onInput={(event) => setPassword(event.currentTarget.value)}
              autocomplete="new-password"
              minLength={8}
              maxLength={256}
              required
            />
          </Field>
          <Field label="I want to">
            <select value={role} onChange={(event) => setRole(event.currentTarget.value)}>
              <option value="contestant">solve problems</option>
              <option value="problem_setter">solve and write problems</option>
            </select>
          </Field>
          <Submit act={act} busy="Creating …">
            Create account
          </Submit>
        </Form>
      </div>
    </div>
  )
}
