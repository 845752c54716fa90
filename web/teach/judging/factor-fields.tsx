/** Time factors: languages that get a multiple of the time limit. */
import { useSession } from '../../app/session.ts'
import { DecimalInput } from '../../parts/decimal-input.tsx'
import { Field } from '../../parts/form.tsx'
import type { FactorDraft } from './judging-draft.ts'

type Props = { readonly list: readonly FactorDraft[]; change(list: readonly FactorDraft[]): void }

export function FactorFields({ list, change }: Props) {
  const { info } = useSession()
  const known = info.SupportedLanguageList
  const free = known.find(({ Value }) => !list.some(({ language }) => language === Value))
  const set = (at: number, part: Partial<FactorDraft>) =>
    change(list.map((one, place) => (place === at ? { ...one, ...part } : one)))
  return (
    <section class="card" aria-labelledby="factors">
      <h2 id="factors">Time factors</h2>
      <p class="soft small">With factor 2 a language has twice the time limit. The default is 1.</p>
      {list.map(({ language, factor }, at) => (
        <div class="row factor" key={at}>
          <Field label="Language">
            <select value={language} onChange={(event) => set(at, { language: event.currentTarget.value })}>
              {!known.some(({ Value }) => Value === language) && <option value={language}>{language}</option>}
              {known.map(({ Value, Name }) => (
                <option key={Value} value={Value}>
                  {Name}
                </option>
              ))}
            </select>
          </Field>
          <Field label="Factor">
            <DecimalInput
              minimum={1}
              maximum={10}
              required
              value={factor}
              write={(text) => set(at, { factor: text })}
            />
          </Field>
          <button
            type="button"
            class="button quiet tight"
            onClick={() => change(list.filter((_, place) => place !== at))}
            aria-label={`Remove factor ${at + 1}`}
          >
            Remove
          </button>
        </div>
      ))}
      {free ? (
        <button
          type="button"
          class="button tight"
          onClick={() => change([...list, { language: free.Value, factor: '2' }])}
        >
          Add a factor
        </button>
      ) : (
        list.length === 0 && <p class="soft small">No executor has reported a language yet.</p>
      )}
    </section>
  )
}
