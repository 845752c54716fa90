/** A new repository: whose it is, what it is called, who sees it, and how it begins. */
import { useState } from 'preact/hooks'
import { read, readList, send, toPath } from '../api/forge.ts'
import type { Repository } from '../api/forge-types.ts'
import { useLoad } from '../app/load.ts'
import { go, usePlace } from '../app/location.ts'
import { useSignedIn } from '../app/page.ts'
import { useSession } from '../app/session.ts'
import { Field, Form, Submit, useAct } from '../parts/form.tsx'
import { Heading } from '../parts/heading.tsx'
import { RadioChoice } from '../parts/radio-choice.tsx'

export function NewRepository() {
  const isSignedIn = useSignedIn()
  return isSignedIn ? <NewForm /> : null
}

function NewForm() {
  const { account } = useSession()
  const own = account?.AccountName ?? ''
  const { query } = usePlace()
  const organisations = useLoad('own organisations', () => readList<{ login: string }>('/user/orgs', { per_page: 100 }))
  const [owner, setOwner] = useState(query.get('owner') ?? own)
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const [visibility, setVisibility] = useState<'public' | 'private'>('public')
  const [hasReadme, setReadme] = useState(true)
  const [license, setLicense] = useState('')
  const [ignores, setIgnores] = useState('')
  const [hasAllBranches, setAllBranches] = useState(false)
  const template = query.get('template')
  const act = useAct()
  const owners = [own, ...(organisations.value?.items.map(({ login }) => login) ?? [])]
  const submit = async () => {
    const draft = { name: name.trim(), description: description.trim() || undefined, private: visibility === 'private' }
    const made = template
      ? await send<Repository>('POST', toPath('repos', ...template.split('/'), 'generate'), {
          ...draft,
          ...(owner !== own && { owner }),
          include_all_branches: hasAllBranches,
        })
      : await send<Repository>('POST', owner === own ? '/user/repos' : toPath('orgs', owner, 'repos'), {
          ...draft,
          auto_init: hasReadme,
          ...(license && { license_template: license }),
          ...(ignores && { gitignore_template: ignores }),
        })
    go(`/${made.full_name}`)
  }
  return (
    <>
      <Heading
        title="New repository"
        note={
          template && (
            <>
              From the template <a href={`/${template}`}>{template}</a>
            </>
          )
        }
      />
      <section class="card text-width">
        <Form act={act} submit={submit}>
          <div class="pair">
            <Field label="Owner">
              <select value={owner} onChange={(event) => setOwner(event.currentTarget.value)}>
                {owners.map((login) => (
                  <option key={login} value={login}>
                    {login}
                  </option>
                ))}
              </select>
            </Field>
            <Field label="Name" hint="Letters, digits, dots, hyphens and underscores.">
              <input
                value={name}
                required
                maxLength={100}
                pattern="[A-Za-z0-9._\-]+"
                onInput={(event) => setName(event.currentTarget.value)}
              />
            </Field>
          </div>
          <Field label="Description">
            <input value={description} maxLength={350} onInput={(event) => setDescription(event.currentTarget.value)} />
          </Field>
          <RadioChoice<'public' | 'private'>
            legend="Visibility"
            name="visibility"
            value={visibility}
            options={[
              ['public', 'Public', 'Everyone can read it.'],
              ['private', 'Private', 'You choose who can read it.'],
            ]}
            choose={setVisibility}
          />
          {template ? (
            <label class="check">
              <input type="checkbox" checked={hasAllBranches} onChange={() => setAllBranches(!hasAllBranches)} />
              <span>
                All branches <small class="soft">Otherwise the files of the default branch alone.</small>
              </span>
            </label>
          ) : (
            <Beginning
              hasReadme={hasReadme}
              license={license}
              ignores={ignores}
              choose={{ readme: setReadme, license: setLicense, ignores: setIgnores }}
            />
          )}
          <Submit act={act} busy="Creating …">
            Create repository
          </Submit>
        </Form>
      </section>
    </>
  )
}

type BeginningProps = {
  readonly hasReadme: boolean
  readonly license: string
  readonly ignores: string
  readonly choose: {
    readme(hasReadme: boolean): void
    license(key: string): void
    ignores(name: string): void
  }
}

/** The files of its first commit. */
function Beginning({ hasReadme, license, ignores, choose }: BeginningProps) {
  const starters = useLoad('starters', async () => {
    const [licenses, ignoreNames] = await Promise.all([
      readList<{ readonly key: string; readonly name: string }>('/licenses', { per_page: 100 }),
      read<readonly string[]>('/gitignore/templates'),
    ])
    return { licenses: licenses.items, ignoreNames }
  })
  return (
    <>
      <label class="check">
        <input type="checkbox" checked={hasReadme} onChange={() => choose.readme(!hasReadme)} />
        <span>
          Add a README{' '}
          <small class="soft">Leave this off to push an existing repository, or to import one by its address.</small>
        </span>
      </label>
      <div class="pair">
        <Field label="Licence">
          <select value={license} onChange={(event) => choose.license(event.currentTarget.value)}>
            <option value="">None</option>
            {starters.value?.licenses.map(({ key, name }) => (
              <option key={key} value={key}>
                {name}
              </option>
            ))}
          </select>
        </Field>
        <Field label=".gitignore" hint="Files that git leaves out.">
          <select value={ignores} onChange={(event) => choose.ignores(event.currentTarget.value)}>
            <option value="">None</option>
            {starters.value?.ignoreNames.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </Field>
      </div>
    </>
  )
}
