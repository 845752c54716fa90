/** The template of a sheet: the repository that each student gets a copy of, and the organisation for the copies. */
import { useId } from 'preact/hooks'
import type { SheetTemplate } from '../../api/classes.ts'
import { readIfThere } from '../../api/forge.ts'
import { useLoad } from '../../app/load.ts'
import { Field } from '../../parts/form.tsx'

type Props = { readonly template: SheetTemplate | null; change(template: SheetTemplate | null): void }

const none: SheetTemplate = { Repository: '', Organisation: '' }

/** Fields that were left empty are no template. */
export function cleanTemplate(template: SheetTemplate | null): SheetTemplate | null {
  const { Repository, Organisation } = template ?? none
  const cleaned = { Repository: Repository.trim(), Organisation: Organisation.trim() }
  return cleaned.Repository || cleaned.Organisation ? cleaned : null
}

export function TemplateFields({ template, change }: Props) {
  const list = useId()
  const { Repository, Organisation } = template ?? none
  const own = useLoad(
    'own organisations',
    async () => (await readIfThere<readonly { readonly login: string }[]>('/user/orgs', { per_page: 100 })) ?? [],
  )
  const set = (part: Partial<SheetTemplate>) => change({ Repository, Organisation, ...part })
  return (
    <section class="card" aria-labelledby="template">
      <h2 id="template">Template</h2>
      <p class="soft small">
        Each student who accepts the sheet gets a private copy of a repository. Leave both fields empty if there is
        none.
      </p>
      <Field label="Repository" hint="Such as school/exercise-1. You need read access to it.">
        <input
          value={Repository}
          maxLength={256}
          placeholder="owner/name"
          pattern="\s*[^\s\/]+\/[^\s\/]+\s*"
          title="An owner and a name, such as school/exercise-1"
          required={Organisation.trim() !== ''}
          onInput={(event) => set({ Repository: event.currentTarget.value })}
        />
      </Field>
      <Field label="Organisation for the copies" hint="You must be allowed to create repositories there.">
        <input
          value={Organisation}
          maxLength={100}
          list={list}
          required={Repository.trim() !== ''}
          onInput={(event) => set({ Organisation: event.currentTarget.value })}
        />
      </Field>
      <datalist id={list}>
        {(own.value ?? []).map(({ login }) => (
          <option key={login} value={login} />
        ))}
      </datalist>
    </section>
  )
}
