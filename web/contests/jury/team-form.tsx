/** Changes one team of a contest. */
import { useState } from 'preact/hooks'
import type { Contest, Team } from '../../api/contests.ts'
import { call } from '../../api/rpc.ts'
import { NumberInput } from '../../parts/decimal-input.tsx'
import { Field, Form, Submit, useAct } from '../../parts/form.tsx'
import { useRevealed } from '../../parts/revealed.ts'

export function TeamForm({ contest, team, close }: { contest: Contest; team: Team; close(): void }) {
  const act = useAct()
  const [draft, setDraft] = useState(team)
  const [accounts, setAccounts] = useState(team.AccountNameList.join(' '))
  const place = useRevealed<HTMLHeadingElement>(team.ID)
  const change = (part: Partial<Team>) => setDraft((now) => ({ ...now, ...part }))
  const submit = async () => {
    const AccountNameList = accounts.split(/[\s,;]+/).filter(Boolean)
    await call('put_contest_team', { ContestID: contest.ID, ...draft, AccountNameList })
    close()
  }
  const toggle = (id: string, isIn: boolean) =>
    change({ GroupIDList: isIn ? [...draft.GroupIDList, id] : draft.GroupIDList.filter((one) => one !== id) })
  return (
    <section class="card no-print" aria-labelledby="edit-team">
      <h2 id="edit-team" tabIndex={-1} ref={place}>
        Edit {team.Name}
      </h2>
      <Form act={act} submit={submit}>
        <div class="pair">
          <Field label="Name">
            <input
              value={draft.Name}
              maxLength={256}
              required
              onInput={(event) => change({ Name: event.currentTarget.value })}
            />
          </Field>
          <Field label="Label" hint="Its seat or number.">
            <input
              value={draft.Label}
              maxLength={64}
              onInput={(event) => change({ Label: event.currentTarget.value })}
            />
          </Field>
          <Field label="Logins" hint="Separate logins with spaces.">
            <input class="mono" value={accounts} onInput={(event) => setAccounts(event.currentTarget.value)} />
          </Field>
          <Field label="Extra penalty (minutes)">
            <NumberInput
              isWhole
              minimum={-1_000_000}
              maximum={1_000_000}
              value={draft.ExtraPenalty}
              required
              write={(minutes) => change({ ExtraPenalty: minutes ?? 0 })}
            />
          </Field>
        </div>
        {contest.GroupList.length > 0 && (
          <fieldset class="plain below-fields">
            <legend class="label">Groups</legend>
            <div class="row">
              {contest.GroupList.map(({ ID, Name }) => (
                <label class="check inline" key={ID}>
                  <input
                    type="checkbox"
                    checked={draft.GroupIDList.includes(ID)}
                    onChange={(event) => toggle(ID, event.currentTarget.checked)}
                  />
                  <span>{Name}</span>
                </label>
              ))}
            </div>
          </fieldset>
        )}
        <label class="check">
          <input
            type="checkbox"
            checked={draft.IsHidden}
            onChange={(event) => change({ IsHidden: event.currentTarget.checked })}
          />
          <span>
            Hidden <small class="soft">Not on any scoreboard: for jury tests.</small>
          </span>
        </label>
        <div class="row">
          <Submit act={act} busy="Saving …">
            Save team
          </Submit>
          <button type="button" class="button" onClick={close}>
            Cancel
          </button>
        </div>
      </Form>
    </section>
  )
}
