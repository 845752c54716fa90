/** One's own account: what others see, and the password. */
import { useState } from 'preact/hooks'
import { call } from '../api/rpc.ts'
import { useSignedIn } from '../app/page.ts'
import { noteAccount, useSession } from '../app/session.ts'
import { Field, Form, Submit, useAct } from '../parts/form.tsx'
import { Heading } from '../parts/heading.tsx'
import { roleNames } from '../parts/roles.ts'
import { Done } from '../parts/state.tsx'
import { AccountTabs } from './account-tabs.tsx'
import { ProfileForm } from './profile.tsx'

export function MyAccount() {
  const isSignedIn = useSignedIn()
  const { account } = useSession()
  if (!isSignedIn || !account) return null
  return (
    <div class="text-width">
      <Heading title="My account" note={`${account.AccountName} · ${roleNames[account.Role]}`} />
      <AccountTabs />
      <div class="stack">
        <ShownName />
        <ProfileForm />
        <NewPassword />
      </div>
    </div>
  )
}

function ShownName() {
  const account = useSession().account!
  const act = useAct()
  const [name, setName] = useState(account.DisplayName)
  const [isDone, setDone] = useState(false)
  const submit = async () => {
    setDone(false)
    const { Account } = await call('update_account', { ID: account.ID, DisplayName: name })
    noteAccount(Account)
    setDone(true)
  }
  return (
    <section class="card" aria-labelledby="shown-name">
      <h2 id="shown-name">Display name</h2>
      {isDone && <Done>Saved. Others see “{account.DisplayName}”.</Done>}
      <Form act={act} submit={submit}>
        <Field label="Display name">
          <input value={name} onInput={(event) => setName(event.currentTarget.value)} maxLength={64} required />
        </Field>
        <Submit act={act}>Save</Submit>
      </Form>
    </section>
  )
}

function NewPassword() {
  const account = useSession().account!
  const act = useAct()
  const [current, setCurrent] = useState('')
  const [password, setPassword] = useState('')
  const [isDone, setDone] = useState(false)
  const submit = async () => {
    setDone(false)
    await call('update_account', { ID: account.ID, Password: password, CurrentPassword: current })
    setPassword('')
    setCurrent('')
    setDone(true)
  }
  return (
    <section class="card" aria-labelledby="password">
      <h2 id="password">Password</h2>
      {isDone && <Done>Password changed. Your other sessions have ended.</Done>}
      <Form act={act} submit={submit}>
        {/* Password managers look for the name beside it. */}
        <input
          class="hidden-text"
          autocomplete="username"
          value={account.AccountName}
          readOnly
          tabIndex={-1}
          aria-label="Name"
        />
        <Field label="Current password">
          <input
            type="password"
            value={current}
            onInput={(event) => setCurrent(event.currentTarget.value)}
            autocomplete="current-password"
            maxLength={256}
            required
          />
        </Field>
        <Field label="New password" hint="At least 8 characters. Your other sessions end.">
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
        <Submit act={act}>Change password</Submit>
      </Form>
    </section>
  )
}
