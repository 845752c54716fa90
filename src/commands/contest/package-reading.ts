/** Reads a contest package of the ICPC, a folder or a zip, into a plan. Also reads the older problemset.yaml. */
import { fromLanguageId } from '../../api/contest-api/languages.ts'
import { readRelative, readTime } from '../../api/contest-api/times.ts'
import { defaultLimits } from '../../judge/limits.ts'
import { openPackage, type PackageFiles } from '../../judge/packages/package-files.ts'
import { OperatorError } from '../../lib/failure.ts'
import { ZipFrame } from '../../lib/zip/zip-frame.ts'

type Given = Readonly<Record<string, unknown>>

export type PlannedProblem = {
  readonly id: string
  readonly label: string
  readonly ordinal: number
  readonly colour: string
  readonly uuid: string | undefined
  /** Its package as a zip; undefined if it has none. */
  readonly readPackage: (() => Promise<Buffer>) | undefined
}
export type PlannedTeam = {
  readonly id: string
  readonly label: string
  readonly name: string
  readonly organisationId: string | null
  readonly groupIds: readonly string[]
  readonly isHidden: boolean
}
export type PlannedAccount = {
  readonly name: string
  readonly displayName: string
  readonly type: string
  readonly password: string | undefined
  readonly teamId: string | undefined
}
export type Named = { readonly id: string; readonly name: string }

export type ContestPlan = {
  readonly id: string | undefined
  /** The parameters of create_contest. */
  readonly contest: Record<string, unknown> & { Name: string }
  readonly problems: readonly PlannedProblem[]
  readonly groups: readonly Named[]
  readonly organisations: readonly Named[]
  readonly teams: readonly PlannedTeam[]
  readonly accounts: readonly PlannedAccount[]
  readonly notes: readonly string[]
  close(): Promise<void>
}

/** A problem's package may be large; the files that describe the contest may not. */
const limits = { ...defaultLimits, testTextBytes: 256 * 1024 * 1024, archiveBytes: 2 * 1024 ** 3 }
const mostBytes = 16 * 1024 * 1024
const contestPackage = {
  mark: /(?:^|\/)contest\.(?:yaml|json)$/,
  missing: 'It is not a contest package: it has neither contest.yaml nor contest.json.',
}
const plainMode = 0o644

const isMap = (value: unknown): value is Given => typeof value === 'object' && value !== null && !Array.isArray(value)

async function readData(files: PackageFiles, ...names: readonly string[]): Promise<unknown> {
  const path = names.find((name) => files.paths.includes(name))
  if (path === undefined) return undefined
  const text = (await files.read(path, mostBytes)).toString().replace(/^\ufeff/, '')
  try {
    if (path.endsWith('.json')) return JSON.parse(text)
    const { parse } = await import('yaml')
    return parse(text, { maxAliasCount: 20, logLevel: 'error', schema: 'core' })
  } catch (error) {
    throw new OperatorError(`${path} can't be read: ${(error as Error).message.split('\n')[0]}`)
  }
}

async function readList(files: PackageFiles, ...names: readonly string[]): Promise<Given[]> {
  const value = (await readData(files, ...names)) ?? []
  if (Array.isArray(value) && value.every(isMap)) return value
  throw new OperatorError(`${names.find((name) => files.paths.includes(name))} must be a list of objects.`)
}

export async function readContestPackage(path: string): Promise<ContestPlan> {
  const files = await openPackage(path, limits, contestPackage)
  try {
    return await readPlan(files, files.close)
  } catch (error) {
    await files.close()
    throw error
  }
}

async function readPlan(files: PackageFiles, close: () => Promise<void>): Promise<ContestPlan> {
  const given = await readData(files, 'contest.yaml', 'contest.json')
  if (!isMap(given)) throw new OperatorError('contest.yaml must be a map of keys to values.')
  const notes: string[] = []
  const ids = new Map<string, string>()
  /** Makes a valid ID; two different IDs must not become one. */
  const idOf = (kind: string, value: unknown): string => {
    const text = textOf(value) ?? ''
    const id = text
      .replace(/[^A-Za-z0-9_-]/g, '_')
      .replace(/^-/, '_')
      .slice(0, 36)
    if (id === '') throw new OperatorError(`${kind}: one has no id.`)
    const known = ids.get(`${kind} ${id}`)
    if (known !== undefined && known !== text)
      throw new OperatorError(`${kind}: ${known} and ${text} would both be ${id} here.`)
    if (id !== text && known === undefined) notes.push(`${kind}: ${text} is ${id} here.`)
    ids.set(`${kind} ${id}`, text)
    return id
  }
  const id = given.id ?? given['short-name'] ?? given.short_name
  const named = (kind: string, one: Given): Named => ({
    id: idOf(kind, one.id),
    name: textOf(one.name) ?? String(one.id),
  })
  const languages = await readList(files, 'languages.json', 'languages.yaml')
  const accounts = await readList(files, 'accounts.yaml', 'accounts.json')
  return {
    id: id === undefined || id === null ? undefined : idOf('contest', id),
    contest: {
      ...readContest(given),
      ...(languages.length > 0 && {
        LanguageList: languages.map((one) => ({ Language: fromLanguageId(String(one.id)), TimeFactor: 1 })),
      }),
    },
    problems: await readProblems(files, idOf),
    groups: (await readList(files, 'groups.json', 'groups.yaml')).map((one) => named('groups', one)),
    organisations: (await readList(files, 'organizations.json', 'organizations.yaml')).map((one) =>
      named('organizations', one),
    ),
    teams: (await readList(files, 'teams.json', 'teams.yaml')).map((one) => ({
      id: idOf('teams', one.id),
      label: textOf(one.label) ?? '',
      name: textOf(one.display_name) ?? textOf(one.name) ?? String(one.id),
      organisationId: one.organization_id ? idOf('organizations', one.organization_id) : null,
      groupIds: listOf(one.group_ids).map((group) => idOf('groups', group)),
      isHidden: one.hidden === true,
    })),
    accounts: accounts.map((one) => ({
      name: accountNameOf(textOf(one.username) ?? textOf(one.id) ?? ''),
      displayName: textOf(one.name) ?? textOf(one.username) ?? String(one.id),
      type: textOf(one.type) ?? 'team',
      password: textOf(one.password),
      teamId: one.team_id ? idOf('teams', one.team_id) : undefined,
    })),
    notes,
    close,
  }
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** Account names have no underscores or dots. */
const accountNameOf = (text: string): string =>
  text
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 39)

function readContest(given: Given): Record<string, unknown> & { Name: string } {
  const value = (...names: readonly string[]) => names.map((name) => given[name]).find((one) => one !== undefined)
  const name = textOf(value('name'))
  if (name === undefined) throw new OperatorError('contest.yaml has no name.')
  const start = value('start_time', 'start-time')
  const startTime = start === undefined || start === null ? null : readTime(String(start))
  if (startTime === undefined) throw new OperatorError(`contest.yaml: start_time is ${start}, which is not a time.`)
  const pause = startTime === null ? value('countdown_pause_time') : null
  const freeze = value('scoreboard_freeze_duration', 'scoreboard-freeze-duration', 'scoreboard-freeze-length')
  const penalty = value('penalty_time', 'penalty-time')
  return {
    Name: name,
    FormalName: textOf(value('formal_name')) ?? null,
    Style: value('scoreboard_type') === 'score' ? 'ioi' : 'icpc',
    StartTime: startTime,
    Duration: spanOf('duration', value('duration') ?? '5:00:00'),
    FreezeDuration: freeze === undefined || freeze === null ? null : spanOf('scoreboard_freeze_duration', freeze),
    CountdownPause: pause === undefined || pause === null ? null : spanOf('countdown_pause_time', pause),
    // Older packages give minutes.
    ...(penalty !== undefined && {
      PenaltyMinute: typeof penalty === 'number' ? penalty : Math.round(spanOf('penalty_time', penalty) / 60_000),
    }),
  }
}

function spanOf(name: string, value: unknown): number {
  const ms = readRelative(String(value))
  if (ms === undefined) throw new OperatorError(`contest.yaml: ${name} is ${value}, and must be like 5:00:00.`)
  return ms
}

async function readProblems(
  files: PackageFiles,
  idOf: (kind: string, value: unknown) => string,
): Promise<PlannedProblem[]> {
  const old = await readData(files, 'problemset.yaml')
  const set = isMap(old) && Array.isArray(old.problems) ? old.problems.filter(isMap) : undefined
  const listed = set ?? (await readList(files, 'problems.yaml', 'problems.json'))
  return listed.map((one, i) => {
    const given = one.id ?? one['short-name'] ?? one.short_name
    const name = String(given)
    return {
      id: idOf('problems', given),
      label: (textOf(one.label ?? one.letter) ?? String.fromCharCode(65 + (i % 26))).slice(0, 16),
      ordinal: i,
      colour: colourOf(one.rgb),
      uuid: textOf(one.uuid),
      readPackage: findPackage(files, name, listOf(one.package).find(isMap)?.filename),
    }
  })
}

function colourOf(rgb: unknown): string {
  const text = String(rgb ?? '')
  if (/^#[0-9a-f]{6}$/i.test(text)) return text
  return /^#[0-9a-f]{3}$/i.test(text) ? `#${[...text.slice(1)].map((digit) => digit + digit).join('')}` : '#808080'
}

/** A zip beside the problem's other files, or a folder. */
function findPackage(files: PackageFiles, id: string, filename: unknown): (() => Promise<Buffer>) | undefined {
  const names = [filename, `${id}.zip`, 'problem.zip', 'package.zip'].filter((name) => typeof name === 'string')
  const zip = [...names.map((name) => `problems/${id}/${name}`), `problems/${id}.zip`, `${id}.zip`].find((path) =>
    files.paths.includes(path),
  )
  if (zip !== undefined) return () => files.read(zip, limits.archiveBytes)
  const folder = [`problems/${id}/`, `${id}/`].find(
    (path) => files.paths.includes(`${path}problem.yaml`) || files.paths.includes(`${path}problem.xml`),
  )
  if (folder === undefined) return undefined
  return async () => {
    const frame = new ZipFrame()
    const parts: Buffer[] = []
    for (const path of files.paths.filter((one) => one.startsWith(folder)))
      parts.push(frame.add(path.slice(folder.length), await files.read(path), plainMode))
    return Buffer.concat([...parts, frame.finish()])
  }
}
