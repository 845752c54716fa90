/** One's data sets, and a new one. */
import { useState } from 'preact/hooks'
import { listDatasets, makeDataset } from '../api/datasets.ts'
import { useLoad } from '../app/load.ts'
import { go } from '../app/location.ts'
import { useSignedIn } from '../app/page.ts'
import { formatBytes, formatCount } from '../parts/figures.ts'
import { Field, Form, Submit, useAct } from '../parts/form.tsx'
import { Heading } from '../parts/heading.tsx'
import { Pager, usePage } from '../parts/pager.tsx'
import { Empty, Ready } from '../parts/state.tsx'
import { When } from '../parts/when.tsx'

export function Datasets() {
  const isSignedIn = useSignedIn()
  return isSignedIn ? <View /> : null
}

function View() {
  const { page, Offset, Limit } = usePage()
  const loaded = useLoad(`datasets ${page}`, () => listDatasets(Offset, Limit))
  return (
    <>
      <Heading title="Data sets" note="Items as they were pushed, to browse and to take out in nine formats." />
      <Ready of={loaded}>
        {({ total, items }) => (
          <div class="side">
            <div>
              <div class="card flush scroll">
                {total === 0 ? (
                  <Empty title="You have no data sets yet">
                    <p>Make one here, then drop a JSON, JSON lines or CSV file into it.</p>
                  </Empty>
                ) : (
                  <table class="table">
                    <thead>
                      <tr>
                        <th scope="col">Name</th>
                        <th scope="col" class="number">
                          Items
                        </th>
                        <th scope="col" class="number wide-only">
                          Size
                        </th>
                        <th scope="col" class="number">
                          Changed
                        </th>
                      </tr>
                    </thead>
                    <tbody>
                      {items.map((one) => (
                        <tr key={one.id}>
                          <td>
                            <a href={`/-/datasets/${one.id}`}>{one.name ?? one.id}</a>{' '}
                            {!one.name && <span class="badge">unnamed</span>}
                          </td>
                          <td class="number">{formatCount(one.itemCount)}</td>
                          <td class="number soft wide-only">{formatBytes(one.stats?.storageBytes ?? 0)}</td>
                          <td class="number soft">
                            <When at={Date.parse(one.modifiedAt)} />
                          </td>
                        </tr>
                      ))}
                    </tbody>
                  </table>
                )}
              </div>
              <Pager total={total} what="data sets" />
            </div>
            <NewDataset />
          </div>
        )}
      </Ready>
    </>
  )
}

function NewDataset() {
  const act = useAct()
  const [name, setName] = useState('')
  const submit = async () => {
    const { id } = await makeDataset(name)
    go(`/-/datasets/${id}`)
  }
  return (
    <section class="card" aria-labelledby="new">
      <h2 id="new">New data set</h2>
      <Form act={act} submit={submit}>
        <Field label="Name" hint="Letters, digits and hyphens. The one that has it already is opened.">
          <input
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
            pattern="[A-Za-z0-9](?:[A-Za-z0-9\-]*[A-Za-z0-9])?"
            title="Letters, digits and hyphens, no hyphen at an end"
            maxLength={63}
            required
          />
        </Field>
        <Submit act={act}>Make it</Submit>
      </Form>
    </section>
  )
}
