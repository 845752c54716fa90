/** The languages of a contest and their time factors. */
import type { ContestDraft } from '../../api/contests.ts'
import { useSession } from '../../app/session.ts'
import { NumberInput } from '../../parts/decimal-input.tsx'
import type { Change } from './contest-draft.ts'

type Props = { readonly list: ContestDraft['LanguageList']; readonly change: Change }

export function LanguageFields({ list, change }: Props) {
  const { SupportedLanguageList } = useSession().info
  const known = list
    .filter(({ Language }) => !SupportedLanguageList.some(({ Value }) => Value === Language))
    .map(({ Language }) => ({ Value: Language, Name: Language }))
  const set = (value: string, isTaken: boolean) => {
    const others = list.filter(({ Language }) => Language !== value)
    change({ LanguageList: isTaken ? [...others, { Language: value, TimeFactor: 1 }] : others })
  }
  const setFactor = (value: string, TimeFactor: number) =>
    change({ LanguageList: list.map((one) => (one.Language === value ? { ...one, TimeFactor } : one)) })
  return (
    <section class="card" aria-labelledby="contest-languages">
      <h2 id="contest-languages">Languages</h2>
      <p class="soft small">If none is ticked, all are allowed.</p>
      <ul class="rows">
        {[...SupportedLanguageList, ...known].map(({ Value, Name }) => {
          const taken = list.find(({ Language }) => Language === Value)
          return (
            <li key={Value}>
              <label class="check inline grow">
                <input
                  type="checkbox"
                  checked={taken !== undefined}
                  onChange={(event) => set(Value, event.currentTarget.checked)}
                />
                <span>{Name}</span>
              </label>
              {taken && (
                <span class="row small">
                  <span class="soft">Time ×</span>
                  <NumberInput
                    class="input points-field"
                    minimum={1}
                    maximum={10}
                    aria-label={`Time factor of ${Name}`}
                    value={taken.TimeFactor}
                    required
                    write={(factor) => setFactor(Value, factor ?? 1)}
                  />
                </span>
              )}
            </li>
          )
        })}
      </ul>
    </section>
  )
}
