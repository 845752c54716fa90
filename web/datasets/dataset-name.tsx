/** The name of a data set, as the interface takes it. */
import { Field } from '../parts/form.tsx'

type Props = { readonly label: string; readonly hint: string; readonly value: string; write(name: string): void }

export const DatasetNameField = ({ label, hint, value, write }: Props) => (
  <Field label={label} hint={hint}>
    <input
      value={value}
      onInput={(event) => write(event.currentTarget.value)}
      pattern="[A-Za-z0-9](?:[A-Za-z0-9\-]*[A-Za-z0-9])?"
      title="Letters, digits and hyphens, no hyphen at an end"
      maxLength={63}
      required
    />
  </Field>
)
