/** Access to a data set: general access, and links that expire. */
import { useState } from 'preact/hooks'
import { changeDataset, type Dataset, deleteDataset } from '../api/datasets.ts'
import { forgetAll } from '../app/load.ts'
import { go } from '../app/location.ts'
import { ask } from '../parts/ask.tsx'
import { Copy } from '../parts/copy.tsx'
import { Field, Form, Submit, useAct } from '../parts/form.tsx'
import { Done, Failed } from '../parts/state.tsx'
import { signLink } from './signed-link.ts'

const choices = [
  ['RESTRICTED', 'Only me'],
  ['ANYONE_WITH_ID_CAN_READ', 'Anyone with the id'],
  ['ANYONE_WITH_NAME_CAN_READ', 'Anyone with the id or the name'],
] as const

export function Access({ dataset, replace }: { dataset: Dataset; replace(dataset: Dataset): void }) {
  return (
    <div class="stack text-width">
      <General dataset={dataset} replace={replace} />
      <SignedLink dataset={dataset} />
      <Removal dataset={dataset} />
    </div>
  )
}

function General({ dataset, replace }: { dataset: Dataset; replace(dataset: Dataset): void }) {
  const act = useAct()
  const [access, setAccess] = useState(
    dataset.generalAccess === 'FOLLOW_USER_SETTING' ? 'RESTRICTED' : dataset.generalAccess,
  )
  const [name, setName] = useState(dataset.name ?? '')
  const [isDone, setDone] = useState(false)
  const submit = async () => {
    setDone(false)
    replace(await changeDataset(dataset.id, { generalAccess: access, ...(name && name !== dataset.name && { name }) }))
    setDone(true)
  }
  return (
    <section class="card" aria-labelledby="general">
      <h2 id="general">Name and access</h2>
      {isDone && <Done>Saved.</Done>}
      <Form act={act} submit={submit}>
        <Field label="Name">
          <input value={name} onInput={(event) => setName(event.currentTarget.value)} maxLength={63} />
        </Field>
        <Field label="Who can read it">
          <select value={access} onChange={(event) => setAccess(event.currentTarget.value)}>
            {choices.map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </Field>
        <Submit act={act}>Save</Submit>
      </Form>
    </section>
  )
}

function SignedLink({ dataset }: { dataset: Dataset }) {
  const act = useAct()
  const [days, setDays] = useState(14)
  const [link, setLink] = useState('')
  if (!dataset.urlSigningSecretKey) return null
  const submit = async () => {
    const signature = await signLink(dataset.id, dataset.urlSigningSecretKey!, Date.now() + days * 86_400_000)
    setLink(`${location.origin}/v2/datasets/${dataset.id}/items?signature=${signature}`)
  }
  return (
    <section class="card" aria-labelledby="link">
      <h2 id="link">Share link</h2>
      <p class="soft small">
        Anyone with the link can read the items, in any format and without an account, until it expires.
      </p>
      <Form act={act} submit={submit}>
        <Field label="Expires after (days)">
          <input
            type="number"
            min={1}
            max={3650}
            value={days}
            onInput={(event) => setDays(Number(event.currentTarget.value))}
          />
        </Field>
        <Submit act={act}>Create link</Submit>
      </Form>
      {link && (
        <>
          <br />
          <pre tabIndex={0} class="address">
            {link}
          </pre>
          <Copy text={link} what="the link" />
        </>
      )}
    </section>
  )
}

function Removal({ dataset }: { dataset: Dataset }) {
  const act = useAct()
  const remove = () =>
    act.run(async () => {
      const title = `Delete “${dataset.name ?? dataset.id}”?`
      if (!(await ask({ title, text: 'All its items are deleted. This can’t be undone.', action: 'Delete data set' })))
        return
      await deleteDataset(dataset.id)
      forgetAll()
      go('/-/datasets')
    })
  return (
    <section class="card" aria-labelledby="removal">
      <h2 id="removal">Delete</h2>
      {act.error !== undefined && <Failed error={act.error} />}
      <button type="button" class="button danger" disabled={act.isBusy} onClick={() => void remove()}>
        Delete this data set
      </button>
    </section>
  )
}
