/** One's public profile. */
import { useState } from 'preact/hooks'
import { read, send } from '../api/forge.ts'
import { useLoad } from '../app/load.ts'
import { useSession } from '../app/session.ts'
import { Form, Submit, useAct } from '../parts/form.tsx'
import { ProfileFields, type ProfileText } from '../parts/profile-fields.tsx'
import { Done, Ready } from '../parts/state.tsx'

type Own = { readonly [K in keyof ProfileText]: string | null }

export function ProfileForm() {
  const { account } = useSession()
  const own = useLoad(`own profile ${account?.ID}`, () => read<Own>('/user'))
  return (
    <section class="card" aria-labelledby="profile">
      <h2 id="profile">Profile</h2>
      <Ready of={own}>{(found) => <Fields own={found} />}</Ready>
    </section>
  )
}

function Fields({ own }: { own: Own }) {
  const login = useSession().account?.AccountName ?? ''
  const [text, setText] = useState<ProfileText>({
    name: own.name ?? '',
    bio: own.bio ?? '',
    company: own.company ?? '',
    location: own.location ?? '',
    blog: own.blog ?? '',
    email: own.email ?? '',
  })
  const [isSaved, setSaved] = useState(false)
  const act = useAct()
  const submit = async () => {
    setSaved(false)
    const { email, ...rest } = text
    await send('PATCH', '/user', { ...rest, email: email || null })
    setSaved(true)
  }
  return (
    <Form act={act} submit={submit}>
      {isSaved && act.error === undefined && (
        <Done>
          Saved. <a href={`/${login}`}>See your page</a>
        </Done>
      )}
      <ProfileFields text={text} change={setText} emailLabel="Email address" />
      <p class="small soft">
        Commits with this email address count as yours. Commits made here have a no-reply address, and only you see this
        one.
      </p>
      <Submit act={act}>Save profile</Submit>
    </Form>
  )
}
