/** Imports teams from a pasted list or a file: a preview, then accounts with slips to print. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { plural } from '../../../src/lib/text/plural.ts'
import type { Contest } from '../../api/contests.ts'
import { forgetAll } from '../../app/load.ts'
import { FileButton } from '../../parts/file-button.tsx'
import { Field, Form, Submit, useAct } from '../../parts/form.tsx'
import { readListFile } from '../../parts/list-file.ts'
import { useRevealed } from '../../parts/revealed.ts'
import { Done } from '../../parts/state.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import type { Slip } from '../../teach/classes/password-slips.tsx'
import { readTeams } from '../teams.ts'
import { type PlannedTeam, planTeams } from './team-list.ts'
import { type Made, makeTeams } from './team-making.ts'

type Props = {
  readonly contest: Contest
  /** The slips to print: below the outcome. */
  readonly children: ComponentChildren
  showSlips(slips: readonly Slip[]): void
  reload(): void
}

export function ImportTeams({ contest, children, showSlips, reload }: Props) {
  const act = useAct()
  const [text, setText] = useState('')
  const [plan, setPlan] = useState<readonly PlannedTeam[]>()
  const [made, setMade] = useState<Made>()
  const [done, setDone] = useState<number>()
  const preview = async (list: string) => {
    setMade(undefined)
    setPlan(await planTeams(list, contest, await readTeams(contest.ID)))
  }
  const open = ([file]: readonly File[]) =>
    act.run(async () => {
      const list = await readListFile(file!)
      setText(list)
      await preview(list)
    })
  const make = (list: readonly PlannedTeam[]) =>
    act.run(async () => {
      setDone(0)
      const next = await makeTeams(contest, list, setDone)
      setMade(next)
      if (next.slips.length > 0) showSlips(next.slips)
      setDone(undefined)
      setPlan(undefined)
      if (next.failed.length === 0) setText('')
      forgetAll()
      reload()
    })
  return (
    <>
      {made && <Outcome made={made} isBusy={act.isBusy} again={(list) => void make(list)} />}
      {children}
      <section class="card no-print" aria-labelledby="import-teams">
        <h2 id="import-teams">Add teams from a list</h2>
        <Form act={act} submit={() => preview(text)}>
          <Field
            label="Paste the list"
            hint="One team on each line: name, organisation, group, logins. Or a table with headings, copied from a spreadsheet. Teams without a login get an account; passwords are generated."
          >
            <textarea
              class="mono"
              rows={6}
              placeholder={'Team,Organisation,Group,Logins\nOwls,University of X,North,'}
              value={text}
              onInput={(event) => {
                setText(event.currentTarget.value)
                setPlan(undefined)
              }}
              required
            />
          </Field>
          <div class="row">
            <Submit act={act} busy={done === undefined ? 'Reading …' : 'Adding …'}>
              Preview
            </Submit>
            <FileButton
              label="Choose a CSV or text file"
              accept=".csv,.tsv,.txt,text/csv,text/plain"
              isDisabled={act.isBusy}
              choose={(files) => void open(files)}
            />
          </div>
        </Form>
      </section>
      {plan && <Preview plan={plan} done={done} isBusy={act.isBusy} make={(list) => void make(list)} />}
    </>
  )
}

type PreviewProps = {
  readonly plan: readonly PlannedTeam[]
  readonly done: number | undefined
  readonly isBusy: boolean
  make(list: readonly PlannedTeam[]): void
}

const columns: readonly Column<PlannedTeam>[] = [
  { head: 'Team', cell: ({ name }) => name },
  { head: 'Organisation', look: 'soft', cell: ({ organisation }) => organisation },
  { head: 'Groups', class: 'wide-only', look: 'soft', cell: ({ groups }) => groups.join(', ') },
  {
    head: 'Accounts',
    cell: ({ accounts }) =>
      accounts.map(({ login, isNew }) => (
        <span key={login}>
          <code>{login}</code> <span class="soft small">{isNew ? 'new' : 'exists'}</span>{' '}
        </span>
      )),
  },
  {
    head: 'Action',
    cell: ({ act, reason }) =>
      act === 'create' ? (
        <span class="badge good">New team</span>
      ) : act === 'update' ? (
        <span class="badge wait">Changed</span>
      ) : (
        <>
          <span class="badge bad">Skipped</span> <small>{reason}</small>
        </>
      ),
  },
]

function Preview({ plan, done, isBusy, make }: PreviewProps) {
  const good = plan.filter(({ act }) => act !== 'refuse')
  const accounts = good.reduce((sum, one) => sum + one.accounts.filter(({ isNew }) => isNew).length, 0)
  const left = plan.length - good.length
  return (
    <section class="card flush no-print" aria-labelledby="team-preview">
      <div class="padded">
        <h2 id="team-preview">Preview</h2>
        <p role="status">
          {plural(good.length, 'team')} and {plural(accounts, 'new account')}
          {left > 0 && `, ${plural(left, 'line')} skipped`}. Nothing has been created yet.
        </p>
        {done !== undefined && <progress aria-label="Adding teams" value={done} max={good.length} />}
        <button type="button" class="button main" disabled={isBusy || good.length === 0} onClick={() => make(good)}>
          Add {plural(good.length, 'team')}
        </button>
      </div>
      <section class="scroll" tabIndex={0} aria-label="Lines of the list">
        <Table class="table fold" rows={plan} columns={columns} keyOf={({ line }) => line} />
      </section>
    </section>
  )
}

type OutcomeProps = {
  readonly made: Made
  readonly isBusy: boolean
  again(list: readonly PlannedTeam[]): void
}

function Outcome({ made, isBusy, again }: OutcomeProps) {
  const { teams, failed } = made
  const place = useRevealed<HTMLDivElement>(made)
  return (
    <div class="no-print" tabIndex={-1} ref={place}>
      {teams > 0 && <Done>{plural(teams, 'team')} added or changed.</Done>}
      {failed.length > 0 && (
        <div class="notice bad" role="alert">
          <div>
            <p>{plural(failed.length, 'team')} could not be added:</p>
            <ul>
              {failed.map(({ team, reason }) => (
                <li key={team.id}>
                  {team.name}: {reason}
                </li>
              ))}
            </ul>
          </div>
          <button
            type="button"
            class="button tight"
            disabled={isBusy}
            onClick={() => again(failed.map(({ team }) => team))}
          >
            Try these again
          </button>
        </div>
      )}
    </div>
  )
}
