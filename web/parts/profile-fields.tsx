/** What a person or an organisation says of itself. */
import { Field } from './form.tsx'

export type ProfileText = {
  readonly name: string
  readonly bio: string
  readonly company: string
  readonly location: string
  readonly blog: string
  readonly email: string
}

const fields = [
  ['company', 'Company or school'],
  ['location', 'Location'],
  ['blog', 'Website'],
] as const

type Props = { readonly text: ProfileText; readonly emailLabel: string; change(text: ProfileText): void }

export const ProfileFields = ({ text, emailLabel, change }: Props) => (
  <>
    <Field label="Name">
      <input
        value={text.name}
        maxLength={255}
        onInput={(event) => change({ ...text, name: event.currentTarget.value })}
      />
    </Field>
    <Field label="About">
      <textarea
        rows={3}
        value={text.bio}
        maxLength={1000}
        onInput={(event) => change({ ...text, bio: event.currentTarget.value })}
      />
    </Field>
    <div class="pair">
      {fields.map(([name, label]) => (
        <Field key={name} label={label}>
          <input
            value={text[name]}
            maxLength={255}
            onInput={(event) => change({ ...text, [name]: event.currentTarget.value })}
          />
        </Field>
      ))}
      <Field label={emailLabel}>
        <input
          type="email"
          value={text.email}
          maxLength={255}
          onInput={(event) => change({ ...text, email: event.currentTarget.value })}
        />
      </Field>
    </div>
  </>
)
