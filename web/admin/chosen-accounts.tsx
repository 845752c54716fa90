/** Several accounts at once: retired, reinstated, or put into a class. */
import { useState } from 'preact/hooks'
import { plural } from '../../src/lib/text/plural.ts'
import { explain } from '../api/fault.ts'
import type { Account } from '../api/operations.ts'
import { suspend } from '../api/people.ts'
import { call } from '../api/rpc.ts'
import { useLoad } from '../app/load.ts'
import { ask } from '../parts/ask.tsx'
import { useAct } from '../parts/form.tsx'
import { SelectChoice } from '../parts/select-choice.tsx'
import { Done, FailedAct, Problem } from '../parts/state.tsx'

type Props = { readonly chosen: readonly Account[]; clear(): void; reload(): void }

type Outcome = { readonly done: string; readonly refused: readonly string[] }

export function ChosenAccounts({ chosen, clear, reload }: Props) {
  const classes = useLoad('classes', async () => (await call('get_class_list', {})).ClassList)
  const act = useAct()
  const [target, setTarget] = useState('')
  const [outcome, setOutcome] = useState<Outcome>()
  const open = (classes.value ?? []).filter(({ IsArchived }) => !IsArchived)

  /** One refusal does not stop the others. */
  const each = (done: (count: number) => string, one: (account: Account) => Promise<unknown>) =>
    act.run(async () => {
      const refused: string[] = []
      for (const account of chosen)
        await one(account).catch((error) => refused.push(`${account.AccountName}: ${explain(error)}`))
      setOutcome({ done: done(chosen.length - refused.length), refused })
      clear()
      reload()
    })
  const retire = async () => {
    const text =
      'They can no longer sign in, and their tokens stop working. Their work and results stay. You can reinstate them.'
    const title = `Retire ${plural(chosen.length, 'account')}?`
    if (await ask({ title, text, action: 'Retire accounts' }))
      await each(
        (count) => `${plural(count, 'account')} retired.`,
        ({ AccountName }) => suspend(AccountName, true),
      )
  }
  return (
    <>
      {outcome && <Done>{outcome.done}</Done>}
      {outcome && outcome.refused.length > 0 && <Problem message={outcome.refused.join(' ')} />}
      <FailedAct act={act} />
      {chosen.length > 0 && (
        <section class="card row filters" aria-label="Chosen accounts">
          <strong>{plural(chosen.length, 'account')} chosen</strong>
          <button type="button" class="button tight" disabled={act.isBusy} onClick={() => void retire()}>
            Retire
          </button>
          <button
            type="button"
            class="button tight"
            disabled={act.isBusy}
            onClick={() =>
              void each(
                (count) => `${plural(count, 'account')} reinstated.`,
                ({ AccountName }) => suspend(AccountName, false),
              )
            }
          >
            Reinstate
          </button>
          {open.length > 0 && (
            <>
              <SelectChoice
                label="Class"
                value={target}
                choose={setTarget}
                options={[['', 'Choose …'], ...open.map(({ ID, Name }) => [ID, Name] as const)]}
              />
              <button
                type="button"
                class="button tight"
                disabled={act.isBusy || target === ''}
                onClick={() =>
                  void each(
                    (count) => `${plural(count, 'account')} added to the class.`,
                    ({ AccountName }) => call('put_class_member', { ClassID: target, AccountName, Role: 'student' }),
                  )
                }
              >
                Add to class
              </button>
            </>
          )}
          <button type="button" class="button tight quiet" onClick={clear}>
            Clear selection
          </button>
        </section>
      )}
    </>
  )
}
