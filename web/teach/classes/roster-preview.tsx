/** The preview of an import: the outcome of each line, and the meaning of each column. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { plural } from '../../../src/lib/text/plural.ts'
import { type Mapping, type Roster, type RosterField, type RosterRow, rosterFields } from '../../api/classes.ts'
import { useSession } from '../../app/session.ts'
import { type Act, ActButton } from '../../parts/form.tsx'
import { actsHead, type Column, Table } from '../../parts/table.tsx'

const fieldNames: Readonly<Record<RosterField, string>> = {
  FirstName: 'First name',
  LastName: 'Last name',
  FullName: 'Full name',
  Login: 'Login',
  Email: 'E-mail',
  Number: 'Number',
}

export function countActs({ RowList }: Roster): Record<RosterRow['Act'], number> {
  const counts = { create: 0, join: 0, refuse: 0 }
  for (const { Act } of RowList) counts[Act]++
  return counts
}

/** The lines are emptied, so that all others keep their numbers. A row may be several lines long. */
export function leaveOut(text: string, { RowList }: Roster, line: number): string {
  const next = RowList.find(({ Line }) => Line > line)?.Line ?? Number.POSITIVE_INFINITY
  return text
    .split(/\r\n?|\n/)
    .map((written, at) => (at + 1 >= line && at + 1 < next ? '' : written))
    .join('\n')
}

type Props = {
  readonly roster: Roster
  readonly act: Act
  remap(mapping: Mapping): void
  leaveOut(line: number): void
  /** Takes the known accounts of these lines, and of no other. */
  take(lines: readonly number[]): void
  /** The lines that have a login from here. */
  readonly given: ReadonlySet<number>
  /** Gives a line a login, or takes it away. */
  give(line: number, login: string | undefined): void
  make(): void
}

export function RosterPreview({ roster, act, remap, leaveOut: drop, take, given, give, make }: Props) {
  const countOfName = Map.groupBy(roster.RowList, foldName)
  const { create, join, refuse } = countActs(roster)
  const { DisableAccountCreation } = useSession().info.Setting.Account
  const known = roster.RowList.filter(({ Known }) => Known !== null)
  const taken = known.filter(({ Act }) => Act === 'join').map(({ Line }) => Line)
  const isClosed = create > 0 && DisableAccountCreation
  const columns: readonly Column<RosterRow>[] = [
    { head: 'Line', class: 'wide-only', look: 'soft', cell: ({ Line }) => Line },
    { head: 'Name', cell: ({ RosterName }) => RosterName },
    { head: 'Login', cell: ({ AccountName }) => <code>{AccountName}</code> },
    {
      head: 'Action',
      cell: (row) => (
        <>
          <Outcome row={row} /> {row.Known && <Known row={row} />}
          {countOfName.get(foldName(row))!.length > 1 && row.Act === 'create' && <small>Twice in this list</small>}{' '}
          {row.NamesakeList.length > 0 && (
            <small class="soft">
              In other classes of yours:{' '}
              {row.NamesakeList.map(({ AccountName, ClassName }) => `${AccountName} (${ClassName})`).join(', ')}
            </small>
          )}
          {row.NeedsLogin && <LoginField act={act} row={row} give={(login) => give(row.Line, login)} />}
        </>
      ),
    },
    {
      head: actsHead,
      look: 'acts',
      cell: ({ Line, RosterName, Known, NamesakeList, Act }) => (
        <span class="row row-acts">
          {Known && (
            <ActButton
              act={act}
              what={`${Act === 'join' ? 'New account' : `Use ${Known.AccountName}`} for line ${Line}, ${RosterName}`}
              run={() => take(Act === 'join' ? taken.filter((one) => one !== Line) : [...taken, Line])}
            >
              {Act === 'join' ? 'New account' : `Use ${Known.AccountName}`}
            </ActButton>
          )}
          {NamesakeList.map(({ AccountName }) => (
            <ActButton
              key={AccountName}
              act={act}
              what={`Use ${AccountName} for line ${Line}, ${RosterName}`}
              run={() => give(Line, AccountName)}
            >
              Use {AccountName}
            </ActButton>
          ))}
          {given.has(Line) && (
            <ActButton
              act={act}
              what={`Undo the login of line ${Line}, ${RosterName}`}
              run={() => give(Line, undefined)}
            >
              Undo login
            </ActButton>
          )}
          <ActButton act={act} what={`Leave out line ${Line}, ${RosterName}`} run={() => drop(Line)}>
            Leave out
          </ActButton>
        </span>
      ),
    },
  ]
  return (
    <section class="card flush" aria-labelledby="roster-preview">
      <div class="padded">
        <h2 id="roster-preview">Preview</h2>
        <p role="status">
          {plural(create, 'account')} will be created
          {join > 0 && `, ${plural(join, 'existing account')} added`}
          {refuse > 0 && `, ${plural(refuse, 'line')} skipped`}. Nothing has been created yet.
        </p>
        {roster.ColumnList.length > 1 && (
          <ColumnChoice
            key={roster.ColumnList.map(({ Header }) => Header).join('\n')}
            roster={roster}
            isBusy={act.isBusy}
            remap={remap}
          />
        )}
        {known.length > taken.length && (
          <p class="notice">
            <span>
              {plural(known.length - taken.length, 'student')} may have an account from another class of yours. Check
              that it is the same person before you use it.
            </span>{' '}
            <button
              type="button"
              class="button tight"
              disabled={act.isBusy}
              onClick={() => take(known.map(({ Line }) => Line))}
            >
              {known.length === 1 ? 'Use this account' : `Use all ${known.length} accounts`}
            </button>
          </p>
        )}
        {isClosed && (
          <p class="notice">
            New accounts are switched off on this server. Ask an admin to allow them, or leave these lines out.
          </p>
        )}
        <div class="row">
          <button
            type="button"
            class="button main"
            disabled={act.isBusy || isClosed || create + join === 0}
            onClick={make}
          >
            Add {plural(create + join, 'student')}
          </button>
        </div>
      </div>
      <section class="scroll" tabIndex={0} aria-label="Rows of the list">
        <Table class="table fold" rows={roster.RowList} columns={columns} keyOf={({ Line }) => Line} />
      </section>
    </section>
  )
}

const foldName = ({ RosterName }: RosterRow): string => RosterName.toLowerCase()

type LoginProps = { readonly act: Act; readonly row: RosterRow; give(login: string): void }

function LoginField({ act, row: { Line, RosterName }, give }: LoginProps) {
  const [login, setLogin] = useState('')
  return (
    <span class="row">
      <input
        class="input small"
        aria-label={`Login for line ${Line}, ${RosterName}`}
        placeholder="Login"
        value={login}
        maxLength={39}
        autocapitalize="none"
        spellcheck={false}
        onInput={(event) => setLogin(event.currentTarget.value)}
      />
      {login.trim() !== '' && (
        <ActButton act={act} what={`Set the login of line ${Line}, ${RosterName}`} run={() => give(login.trim())}>
          Set
        </ActButton>
      )}
    </span>
  )
}

const Outcome = ({ row: { Act, Reason } }: { row: RosterRow }) =>
  Act === 'create' ? (
    <span class="badge good">New account</span>
  ) : Act === 'join' ? (
    <span class="badge wait">Existing account</span>
  ) : (
    <>
      <span class="badge bad">Skipped</span> <small>{Reason}</small>
    </>
  )

const knownBy: Readonly<Record<string, string>> = { number: 'same number', email: 'same e-mail', name: 'same name' }

const Known = ({ row: { Act, Known } }: { row: RosterRow }) => (
  <small class="soft">
    {Act === 'join' ? 'From' : `${Known!.AccountName} is in`} {Known!.ClassName} ({knownBy[Known!.By]})
  </small>
)

/** Keyboard users pass other choices on the way. */
const pauseMs = 400

/** Each field belongs to one column: choosing it for another clears the first. */
type ChoiceProps = { readonly roster: Roster; readonly isBusy: boolean; remap(mapping: Mapping): void }

function ColumnChoice({ roster: { ColumnList }, isBusy, remap }: ChoiceProps) {
  const [fields, setFields] = useState(() => ColumnList.map(({ Field }) => Field ?? ''))
  const latest = useRef(isBusy)
  latest.current = isBusy
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const choose = (at: number, field: string) => {
    const next = fields.map((one, place) => (place === at ? (field as RosterField) : one === field ? '' : one))
    setFields(next)
    const mapping = Object.fromEntries(next.flatMap((name, place) => (name ? [[name, place] as const] : [])))
    // Finishes the current request first.
    const ask = () => {
      if (latest.current) timer.current = setTimeout(ask, pauseMs)
      else remap(mapping)
    }
    clearTimeout(timer.current)
    timer.current = setTimeout(ask, pauseMs)
  }
  return (
    <fieldset class="plain">
      <legend class="label">Columns</legend>
      <div class="row column-choice">
        {ColumnList.map(({ Header }, at) => (
          <label class="field" key={at}>
            <span>{Header || `Column ${at + 1}`}</span>
            <select value={fields[at]} onChange={(event) => choose(at, event.currentTarget.value)}>
              <option value="">Not used</option>
              {rosterFields.map((field) => (
                <option key={field} value={field}>
                  {fieldNames[field]}
                </option>
              ))}
            </select>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
