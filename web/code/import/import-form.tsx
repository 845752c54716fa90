/** Importing into an empty repository: from where, with which credentials, once or as a mirror. */
import { useState } from 'preact/hooks'
import { send } from '../../api/forge.ts'
import type { Repository } from '../../api/forge-types.ts'
import { Field, Form, Submit, useAct } from '../../parts/form.tsx'
import { RadioChoice } from '../../parts/radio-choice.tsx'
import { importPath, type Source } from './source-data.ts'
import { CredentialFields, IntervalField, type SourceCredentials, spellCredentials } from './source-fields.tsx'

type Props = { readonly repository: Repository; started(source: Source): void }

const dayMinutes = 1440

export function ImportForm({ repository, started }: Props) {
  const [url, setUrl] = useState('')
  const [credentials, setCredentials] = useState<SourceCredentials>({ username: '', password: '' })
  const [kind, setKind] = useState<'once' | 'mirror'>('once')
  const [minutes, setMinutes] = useState(dayMinutes)
  const act = useAct()
  const submit = async () => {
    const draft = { url: url.trim(), ...spellCredentials(credentials) }
    const rest = kind === 'mirror' ? { mirror: true, interval_minutes: minutes } : {}
    started(await send<Source>('POST', importPath(repository), { ...draft, ...rest }))
  }
  return (
    <Form act={act} submit={submit}>
      <Field label="Address" hint="The one that git clone takes, beginning with https://.">
        <input
          value={url}
          type="url"
          required
          maxLength={2048}
          placeholder="https://git.example.org/ann/hello.git"
          autocomplete="off"
          onInput={(event) => setUrl(event.currentTarget.value)}
        />
      </Field>
      <CredentialFields value={credentials} change={setCredentials} />
      <RadioChoice<'once' | 'mirror'>
        legend="How often"
        name="import-kind"
        value={kind}
        options={[
          ['once', 'Import once', 'Branches and tags come now. Then you work here.'],
          ['mirror', 'Mirror', 'The repository follows its source and takes no pushes.'],
        ]}
        choose={setKind}
      />
      {kind === 'mirror' && <IntervalField value={minutes} change={setMinutes} />}
      <Submit act={act} busy="Starting …">
        {kind === 'mirror' ? 'Start mirroring' : 'Start the import'}
      </Submit>
    </Form>
  )
}
