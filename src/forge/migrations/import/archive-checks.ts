/** Checks all records of an archive before anything is written: each is complete, and refers only to the archive. */
import { makeSlices, mapInSlices } from '../../../lib/scheduling/slices.ts'
import { deepestTeam } from '../../people/team.ts'
import type { RecordType } from '../records/record-files.ts'
import { type AddressIndex, makeAddressIndex } from './address-index.ts'
import { commitComment, issueComment, issueEvent } from './definitions/comments.ts'
import type { Definition } from './definitions/definition.ts'
import { attachment, release } from './definitions/files.ts'
import { issue, milestone } from './definitions/issues.ts'
import {
  type OrganisationRecord,
  organisation,
  type TeamRecord,
  team,
  type UserRecord,
  user,
} from './definitions/people.ts'
import { pull, review, reviewComment } from './definitions/pulls.ts'
import { protectedBranch, type RepositoryRecord, repository } from './definitions/repositories.ts'
import { readAll, readRecords } from './reading/record-reading.ts'
import type { UnpackedArchive } from './reading/unpacking.ts'
import { demandImport, refuseImport } from './refusal.ts'

/** The least and the greatest id in the archive, of a table whose ids are part of web addresses. */
export type IdRange = { least: number; most: number }
export type IdTable = 'issue_comment' | 'issue_event' | 'commit_comment' | 'review' | 'review_comment' | 'release'

/** The facts about an archive after a full check. */
export type CheckedArchive = {
  readonly archive: UnpackedArchive
  readonly index: AddressIndex
  /** The web address that all its records begin with. */
  readonly origin: string
  readonly users: readonly UserRecord[]
  readonly organisations: readonly OrganisationRecord[]
  readonly teams: readonly TeamRecord[]
  readonly repositories: readonly RepositoryRecord[]
  /** The numbers of the pulls, by the address of their repository. */
  readonly pullNumbers: ReadonlyMap<string, ReadonlySet<number>>
  readonly ranges: ReadonlyMap<IdTable, IdRange>
  readonly attachmentUuids: readonly string[]
  readonly counts: ReadonlyMap<RecordType, number>
}

export const countRecords = ({ counts }: CheckedArchive): number => [...counts.values()].reduce((a, b) => a + b, 0)

export async function checkArchive(archive: UnpackedArchive, signal: AbortSignal): Promise<CheckedArchive> {
  const index = makeAddressIndex()
  const ranges = new Map<IdTable, IdRange>()
  const uploads = new Set(archive.uploads.keys())
  const attachmentUuids: string[] = []
  const pullNumbers = new Map<string, Set<number>>()
  const counts = new Map<RecordType, number>()

  async function check<R>(
    definition: Definition<R>,
    also: (record: R, place: string) => void = () => {},
  ): Promise<void> {
    for await (const placed of readRecords(archive, definition)) {
      signal.throwIfAborted()
      for (const { record, place } of placed) {
        definition.check(record, index, place)
        also(record, place)
      }
      counts.set(definition.type, (counts.get(definition.type) ?? 0) + placed.length)
    }
  }

  const noteId =
    (table: IdTable) =>
    ({ id }: { readonly id: number | null }): void => {
      if (id === null) return
      const { least, most } = ranges.get(table) ?? { least: id, most: id }
      ranges.set(table, { least: Math.min(least, id), most: Math.max(most, id) })
    }

  function takeUpload(path: string, place: string): void {
    demandImport(uploads.delete(path), `${place} names ${path}, which is not in the archive or has another’s name.`)
  }

  await check(user)
  await check(organisation)
  await check(team)
  await check(repository)
  await check(milestone)
  await check(issue)
  await check(pull, ({ repository: url, number }) => {
    const numbers = pullNumbers.get(url) ?? new Set()
    pullNumbers.set(url, numbers.add(number))
  })
  await check(review, noteId('review'))
  await check(reviewComment, noteId('review_comment'))
  await check(issueComment, noteId('issue_comment'))
  await check(issueEvent, noteId('issue_event'))
  await check(commitComment, noteId('commit_comment'))
  await check(protectedBranch)
  await check(release, (record, place) => {
    noteId('release')(record)
    for (const { path } of record.assets) takeUpload(path, place)
  })
  await check(attachment, ({ path, uuid }, place) => {
    takeUpload(path, place)
    attachmentUuids.push(uuid)
  })
  await index.finish()
  const [extra] = uploads
  demandImport(extra === undefined, `The archive holds ${extra}, which no record names.`)

  const [users, organisations, teams, repositories] = [
    await readAll(archive, user),
    await readAll(archive, organisation),
    await readAll(archive, team),
    await readAll(archive, repository),
  ]
  await demandGit(archive, repositories)
  await demandTrees(teams)
  const origin = await findOrigin([...users, ...organisations])
  const held = { users, organisations, teams, repositories, pullNumbers }
  return { archive, index, origin, ...held, ranges, attachmentUuids, counts }
}

/** All accounts belong to one server: its address followed by the login is the account's address. */
async function findOrigin(accounts: readonly { readonly url: string; readonly login: string }[]): Promise<string> {
  const origins = new Set(
    await mapInSlices(accounts, ({ url, login }) => {
      if (!url.endsWith(`/${login}`)) throw refuseImport(`${url} is not the address of ${login}.`)
      return url.slice(0, -login.length - 1)
    }),
  )
  const [origin] = origins
  demandImport(
    origin !== undefined,
    'The archive has no records of people: one that was made without metadata can’t be imported.',
  )
  demandImport(origins.size === 1 && URL.canParse(origin), 'The records of the archive are of several servers.')
  return origin
}

/** Each repository must have its git data, and no others may be in the archive. */
async function demandGit(
  { repositories: found }: UnpackedArchive,
  records: readonly RepositoryRecord[],
): Promise<void> {
  const left = new Set(found.keys())
  const slices = makeSlices()
  for (const { url, owner, name, gitUrl, wikiUrl } of records) {
    if (slices.isDue()) await slices.pause()
    const path = `${owner.slice(owner.lastIndexOf('/') + 1)}/${name}`
    demandImport(gitUrl !== null, `The archive was made without git data: ${url} can’t be imported.`)
    demandImport(
      gitUrl === `tarball://root/repositories/${path}.git`,
      `${url} has its git data elsewhere than at its own name.`,
    )
    demandImport(left.delete(`${path}.git`), `The archive does not hold the git data of ${url}.`)
    const isOwn = wikiUrl === null || wikiUrl === `tarball://root/repositories/${path}.wiki.git`
    demandImport(
      isOwn && left.delete(`${path}.wiki.git`) === (wikiUrl !== null),
      `${url} and its wiki do not fit together.`,
    )
  }
  const [extra] = left
  demandImport(extra === undefined, `The archive holds repositories/${extra}, which no record names.`)
}

/** A team's parent must be of the same organisation, no team may be its own ancestor, and nesting is limited. */
async function demandTrees(teams: readonly TeamRecord[]): Promise<void> {
  const byUrl = new Map(teams.map((one) => [one.url, one]))
  const parentOf = ({ parent }: TeamRecord) => (parent === null ? undefined : byUrl.get(parent))
  /** The level of each team that is checked already: every team is visited once, however long the chains are. */
  const levels = new Map<string, number>()
  const slices = makeSlices()
  for (const one of teams) {
    const seen = new Set<string>()
    let at: TeamRecord | undefined = one
    for (; at && !levels.has(at.url); at = parentOf(at)) {
      demandImport(!seen.has(at.url), `${one.url} is a team under itself.`)
      const above = parentOf(at)
      const isInside = !above || above.organisation === at.organisation
      demandImport(isInside, `${one.url} is under a team of another organisation.`)
      seen.add(at.url)
      if (slices.isDue()) await slices.pause()
    }
    let level = at ? levels.get(at.url)! : 0
    for (const url of [...seen].reverse()) levels.set(url, ++level)
    demandImport(level <= deepestTeam, `${one.url} is nested deeper than ${deepestTeam} levels.`)
  }
}
