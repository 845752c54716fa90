/** Fields of imports and mirrors: credentials of the source, and how often it is fetched. */
import { Field } from '../../parts/form.tsx'

export type SourceCredentials = { readonly username: string; readonly password: string }

/** Nothing, unless some were given. */
export const spellCredentials = ({ username, password }: SourceCredentials): object => ({
  ...(username.trim() !== '' && { username: username.trim() }),
  ...(password !== '' && { password }),
})

type CredentialProps = { readonly value: SourceCredentials; change(value: SourceCredentials): void }

export const CredentialFields = ({ value, change }: CredentialProps) => (
  <div class="pair">
    <Field label="Username at the source" hint="Only for a private repository; often not needed with a token.">
      <input
        value={value.username}
        maxLength={256}
        autocomplete="off"
        onInput={(event) => change({ ...value, username: event.currentTarget.value })}
      />
    </Field>
    <Field label="Token or password" hint="Best a token that can only read this repository.">
      <input
        value={value.password}
        type="password"
        maxLength={1024}
        autocomplete="new-password"
        onInput={(event) => change({ ...value, password: event.currentTarget.value })}
      />
    </Field>
  </div>
)

const intervals: readonly (readonly [minutes: number, text: string])[] = [
  [10, '10 minutes'],
  [60, 'hour'],
  [360, '6 hours'],
  [1_440, 'day'],
  [10_080, 'week'],
]

export const spellInterval = (minutes: number): string =>
  intervals.find(([each]) => each === minutes)?.[1] ?? `${minutes} minutes`

type IntervalProps = { readonly value: number; change(minutes: number): void }

export const IntervalField = ({ value, change }: IntervalProps) => (
  <Field label="Fetch every">
    <select value={String(value)} onChange={(event) => change(Number(event.currentTarget.value))}>
      {intervals.every(([minutes]) => minutes !== value) && (
        <option value={String(value)}>{spellInterval(value)}</option>
      )}
      {intervals.map(([minutes, text]) => (
        <option key={minutes} value={String(minutes)}>
          {text}
        </option>
      ))}
    </select>
  </Field>
)
