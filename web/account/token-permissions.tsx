/** The permissions of a fine-grained token or an app, by area. */

/** `self`: for tokens of one's own things alone; `organisation`: for those of an organisation. */
const permissions: readonly (readonly [name: string, text: string, only?: 'self' | 'organisation'])[] = [
  ['contents', 'Code'],
  ['issues', 'Issues'],
  ['pull_requests', 'Pull requests'],
  ['administration', 'Repository settings'],
  ['repository_hooks', 'Webhooks'],
  ['statuses', 'Commit statuses'],
  ['datasets', 'Data sets', 'self'],
  ['members', 'Members and teams', 'organisation'],
  ['organization_administration', 'Organisation settings', 'organisation'],
  ['organization_hooks', 'Organisation webhooks', 'organisation'],
]

export const isOffered = (name: string, isForSelf: boolean): boolean => {
  const only = permissions.find(([one]) => one === name)?.[2]
  return only === undefined || only === (isForSelf ? 'self' : 'organisation')
}

type Levels = Readonly<Record<string, string>>

type PermissionsProps = {
  readonly levels: Levels
  readonly isForSelf: boolean
  /** An app can request all of them; the installation decides. */
  readonly isForApp?: boolean
  change(levels: Levels): void
}

export const Permissions = ({ levels, change, isForSelf, isForApp = false }: PermissionsProps) => (
  <fieldset class="plain">
    <legend class="label">Access</legend>
    {permissions
      .filter(([name]) => (isForApp ? name !== 'datasets' : isOffered(name, isForSelf)))
      .map(([name, text]) => (
        <label class="row spread" key={name}>
          <span>{text}</span>
          <select
            class="input small"
            value={levels[name] ?? ''}
            onChange={(event) => change({ ...levels, [name]: event.currentTarget.value })}
          >
            <option value="">no access</option>
            <option value="read">read</option>
            <option value="write">read and change</option>
          </select>
        </label>
      ))}
  </fieldset>
)
