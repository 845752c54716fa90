/**
 * Translates an unpacked archive of the public platform into our own form, in its folder. What has no place here is
 * counted by name. Everything is checked afterwards as any archive is. Blocks its thread.
 */
import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { RecordType } from '../../records/record-files.ts'
import { parseList } from '../reading/json.ts'
import { nameOfFile } from '../reading/unpacking.ts'
import { demandImport } from '../refusal.ts'
import {
  translateCommitComments,
  translateIssueComments,
  translateReviewComments,
  translateReviews,
} from './comment-records.ts'
import { type Context, makeAddresses } from './context.ts'
import { translateEvents } from './event-records.ts'
import { takeAttachments, translateReleases } from './file-records.ts'
import { placeIssues, translateIssues, translateMilestones, translatePulls } from './issue-records.ts'
import { type LeftOut, makeLeavingOut } from './left-out.ts'
import { makePeople } from './people.ts'
import { placeTeams, translateOrganisations, translateTeams, translateUsers } from './people-records.ts'
import { RawRecord } from './raw-record.ts'
import { makeRecordWriter } from './record-writer.ts'
import { type GitMove, translateProtectedBranches, translateRepositories } from './repository-records.ts'
import { survey } from './survey.ts'
import { makeUploads } from './uploads.ts'

export type TranslationRequest = {
  readonly folder: string
  readonly recordFiles: ReadonlyMap<string, readonly number[]>
  readonly uploads: ReadonlyMap<string, number>
  readonly gitFolders: ReadonlySet<string>
  readonly mostBytes: { readonly attachments: number; readonly releases: number }
}

export type Translation = {
  readonly recordFiles: ReadonlyMap<RecordType, number>
  /** The files that records name: by their new paths, the old ones. */
  readonly uploads: ReadonlyMap<string, string>
  readonly git: readonly GitMove[]
  readonly leftOut: LeftOut
  /** Logins that the accounts cannot have here. */
  readonly renamed: readonly (readonly [from: string, to: string])[]
}

const maxElements = 1_000
const maxElementBytes = 8 * 1024 * 1024
const rawFolder = 'as-it-came'

/** Types whose records are read; those of any other are counted. */
const knownPlurals = new Set(
  `users bots organizations teams repositories protected_branches milestones issues pull_requests issue_comments
  issue_events pull_request_reviews pull_request_review_threads pull_request_review_comments commit_comments releases
  attachments repository_files`.split(/\s+/),
)

export function translate(request: TranslationRequest): Translation {
  const { folder, recordFiles, uploads: found, gitFolders, mostBytes } = request
  setAside(folder, recordFiles)

  function* read(plural: string): Generator<RawRecord> {
    for (const number of recordFiles.get(plural) ?? []) {
      const name = nameOfFile(plural, number)
      const bounds = { maxElements, maxElementBytes, what: 'records' }
      const demandList = (value: unknown) => demandImport(Array.isArray(value), `${name} is not a list of records.`)
      let at = 0
      for (const { value } of parseList(join(folder, rawFolder, name), name, bounds, demandList))
        yield new RawRecord(value, `${name}, record ${++at}`)
    }
  }

  const leavingOut = makeLeavingOut()
  for (const plural of recordFiles.keys())
    if (!knownPlurals.has(plural)) for (const _record of read(plural)) leavingOut.add(plural.replaceAll('_', ' '))
  const origin = findOrigin(read)
  const writer = makeRecordWriter(folder)
  const context: Context = {
    origin,
    people: makePeople(origin, (record) => writer.add(record)),
    leavingOut,
    writer,
    survey: survey(read),
    uploads: makeUploads({ folder, origin, found, mostBytes }),
    addresses: makeAddresses(),
    read,
  }
  const git = translateAll(context, gitFolders)
  const { taken, unnamed } = context.uploads.finish()
  leavingOut.add('files that no record shows', unnamed)
  return {
    ...{ recordFiles: writer.finish(), uploads: taken, git },
    ...{ leftOut: leavingOut.list(), renamed: context.people.renamed() },
  }
}

/** Things are translated, or get their addresses, before the records that name them. */
function translateAll(context: Context, gitFolders: ReadonlySet<string>): readonly GitMove[] {
  translateUsers(context)
  translateOrganisations(context)
  placeTeams(context)
  const writeLater = takeAttachments(context)
  const git = translateRepositories(context, gitFolders)
  translateTeams(context)
  translateProtectedBranches(context)
  translateMilestones(context)
  placeIssues(context)
  translateIssues(context)
  translatePulls(context)
  translateReviews(context)
  translateReviewComments(context)
  translateIssueComments(context)
  translateEvents(context)
  translateCommitComments(context)
  translateReleases(context)
  for (const write of writeLater) write()
  return git
}

/** Its records have the names that ours will have. */
function setAside(folder: string, recordFiles: TranslationRequest['recordFiles']): void {
  mkdirSync(join(folder, rawFolder), { mode: 0o700 })
  for (const [plural, numbers] of recordFiles)
    for (const number of numbers) {
      const name = nameOfFile(plural, number)
      renameSync(join(folder, name), join(folder, rawFolder, name))
    }
}

/** The server's address, from that of the first account or repository. */
function findOrigin(read: Context['read']): string {
  for (const plural of ['repositories', 'organizations', 'users'])
    for (const record of read(plural)) {
      const url = record.demandAddress('url')
      demandImport(/^https?:/.test(url) && URL.canParse(url), `${record.place}: url must be a web address.`)
      return new URL(url).origin
    }
  demandImport(false, 'The archive has no records of people or repositories.')
}

/** Gives the git data of each repository the place that its record here names. */
export function moveGit(folder: string, git: readonly GitMove[], gitFolders: ReadonlySet<string>): void {
  const came = join(folder, rawFolder, 'repositories')
  if (gitFolders.size > 0) renameSync(join(folder, 'repositories'), came)
  const seen = new Set<string>()
  for (const { from, to } of git) {
    demandImport(!seen.has(`from ${from}`), `Two repositories of the archive have the git data of ${from}.`)
    demandImport(!seen.has(`to ${to}`), `Two repositories of the archive would become ${to}.`)
    seen.add(`from ${from}`).add(`to ${to}`)
    for (const ending of ['.git', '.wiki.git'])
      if (existsSync(join(came, from + ending))) {
        const place = join(folder, 'repositories', to + ending)
        mkdirSync(dirname(place), { recursive: true, mode: 0o700 })
        renameSync(join(came, from + ending), place)
      }
  }
}
