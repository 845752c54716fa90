/** A new organisation, which whoever makes it owns; where the server leaves that to its admins, it says so. */
import { useState } from 'preact/hooks'
import { read, send } from '../api/forge.ts'
import { forgetAll, useLoad } from '../app/load.ts'
import { go } from '../app/location.ts'
import { useSignedIn } from '../app/page.ts'
import { isAdmin, useSession } from '../app/session.ts'
import { Field, Form, Submit, useAct } from '../parts/form.tsx'
import { Heading } from '../parts/heading.tsx'
import { Empty, Ready } from '../parts/state.tsx'

export function NewOrganisation() {
  const isSignedIn = useSignedIn()
  return isSignedIn ? <View /> : null
}

function View() {
  const session = useSession()
  const makers = useLoad('organisation makers', () =>
    read<{ readonly organization_makers: 'admins' | 'everyone' }>('/meta'),
  )
  return (
    <>
      <Heading title="New organisation" note="Repositories and teams that belong to several people." />
      <Ready of={makers}>
        {({ organization_makers: who }) =>
          who === 'everyone' || isAdmin(session) ? (
            <NewForm />
          ) : (
            <div class="card">
              <Empty title="Organisations are made by admins of this server.">Ask one of them.</Empty>
            </div>
          )
        }
      </Ready>
    </>
  )
}

function NewForm() {
  const [login, setLogin] = useState('')
  const [name, setName] = useState('')
  const act = useAct()
  const submit = async () => {
    const made = await send<{ readonly login: string }>('POST', '/user/orgs', {
      login: login.trim(),
      ...(name.trim() && { profile_name: name.trim() }),
    })
    forgetAll()
    go(`/${made.login}`)
  }
  return (
    <section class="card text-width">
      <Form act={act} submit={submit}>
        <Field label="Name" hint="Letters, digits and hyphens. It is part of the addresses of its repositories.">
          <input
            value={login}
            required
            maxLength={39}
            pattern="[A-Za-z0-9]+(-[A-Za-z0-9]+)*"
            onInput={(event) => setLogin(event.currentTarget.value)}
          />
        </Field>
        <Field label="Display name">
          <input value={name} maxLength={255} onInput={(event) => setName(event.currentTarget.value)} />
        </Field>
        <Submit act={act} busy="Creating …">
          Create organisation
        </Submit>
      </Form>
    </section>
  )
}
