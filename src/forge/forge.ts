/** Builds the forge's services and connects them. */

import type { BlockList } from 'node:net'
import { join } from 'node:path'
import type { Accounts } from '../accounts/accounts.ts'
import type { AuditLog } from '../accounts/audit/audit-log.ts'
import type { Quotas } from '../accounts/quotas.ts'
import type { Lockouts } from '../accounts/sign-in/lockouts.ts'
import type { Tokens } from '../accounts/tokens.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Blobs } from '../store/files/blobs.ts'
import { readFolderTime } from '../store/files/folder-time.ts'
import { repositoriesFolder } from '../store/installation/inspection.ts'
import type { Db } from '../store/schema/schema.ts'
import { isForeignKeyViolation, type Store } from '../store/store.ts'
import { makeOpening } from './access/opening.ts'
import { makeOrganisationDoor } from './access/organisation-access.ts'
import { makeThreadWatching } from './access/thread-watching.ts'
import { makeActivity } from './activity/activity.ts'
import { makeAppServices } from './apps/app-services.ts'
import { makeAttachments } from './attachments/attachments.ts'
import { makeAutolinks } from './autolinks/autolinks.ts'
import { makeCheckReading } from './checks/check-reading.ts'
import { makeChecks } from './checks/checks.ts'
import { makeCommitComments } from './commits/comments.ts'
import { makeCommitStanding } from './commits/commit-standing.ts'
import { makeProtection } from './commits/protection.ts'
import { makeStatuses } from './commits/statuses.ts'
import { makeDeployments } from './deployments/deployments.ts'
import { makeEnvironments } from './deployments/environments.ts'
import { makeMovedFiles } from './exercises/moved-files.ts'
import { makeTemplateCopies } from './exercises/template-copies.ts'
import { notFound } from './failures.ts'
import { makeFeedReading } from './feeds/feed-reading.ts'
import { makeFeeds } from './feeds/feeds.ts'
import type { FileLimits } from './files/file-limits.ts'
import type { StoredFiles } from './files/stored-files.ts'
import { makeMaintenance } from './git/folders/maintenance.ts'
import { makeGit } from './git/process/git.ts'
import type { GitLimits } from './git/process/git-limits.ts'
import { makePushes } from './git/push/pushes.ts'
import { makeRefMoving } from './git/push/ref-moving.ts'
import { makeArchives } from './git/read/archives.ts'
import { makeBlame } from './git/read/blame.ts'
import { makeComparing } from './git/read/comparing.ts'
import { makeContents } from './git/read/contents.ts'
import { makeGitReading } from './git/read/git-reading.ts'
import { makeInsights } from './git/read/insights.ts'
import { makeLastCommits } from './git/read/last-commits.ts'
import { makeTemplates } from './git/read/templates.ts'
import { makeWikiPages } from './git/read/wiki-pages.ts'
import { makeServing } from './git/serve/serving.ts'
import { makeWikis } from './git/wikis.ts'
import { makeCodeWriting } from './git/write/code-writing.ts'
import { makeCopying } from './git/write/copying.ts'
import { makeMerging } from './git/write/merging.ts'
import { makeWikiWriting } from './git/write/wiki-writing.ts'
import { makeIssueServices } from './issues/issue-services.ts'
import { insertDefaultLabels } from './issues/labels/label-rows.ts'
import { makeKeyAdministration } from './keys/key-administration.ts'
import { makeGpgKeys } from './keys/signing/gpg-keys.ts'
import { makePgp } from './keys/signing/pgp.ts'
import { makeSshSigningKeys } from './keys/signing/ssh-signing-keys.ts'
import { makeVerifications } from './keys/signing/verifications.ts'
import { makeSshKeys } from './keys/ssh-keys.ts'
import { makeSshPlace } from './keys/ssh-place.ts'
import { makeLfsLocks } from './lfs/lfs-locks.ts'
import { makeLfsObjects } from './lfs/lfs-objects.ts'
import { makeLfsSharing } from './lfs/lfs-sharing.ts'
import { makeRenderer } from './markup/renderer.ts'
import { makeMigrationServices } from './migrations/migration-services.ts'
import { makeNodePlaces } from './node-places.ts'
import { makeNotifications } from './notifications/notifications.ts'
import { makeOAuthServices } from './oauth/oauth-services.ts'
import type { Resolve } from './outbound/destination.ts'
import { makePeopleServices } from './people/people-services.ts'
import { makeTokenAdministration } from './people/token-administration.ts'
import { makeMaintainedBranches } from './pulls/maintained-branches.ts'
import { makePullServices } from './pulls/pull-services.ts'
import { makeAssets } from './releases/assets.ts'
import { makeNotesMaking } from './releases/release-notes.ts'
import { makeReleases } from './releases/releases.ts'
import { makeCollaborators } from './repositories/collaborators.ts'
import { makeDeletion } from './repositories/deletion.ts'
import { makeGrantWithin } from './repositories/direct-grants.ts'
import { makeForks } from './repositories/forks.ts'
import { makeInvitations } from './repositories/invitations.ts'
import { makeRepositories } from './repositories/repositories.ts'
import { folderLock, makeRepositoryCreation } from './repositories/repository-creation.ts'
import { makeRepositoryDispatch } from './repositories/repository-dispatch.ts'
import { makeRepositoryLists } from './repositories/repository-lists.ts'
import { makeStars } from './repositories/stars.ts'
import { makeTeamRepositories } from './repositories/team-repositories.ts'
import { makeTemplateGeneration } from './repositories/template-generation.ts'
import { makeTransferring } from './repositories/transferring.ts'
import { makeWatching } from './repositories/watching.ts'
import { makeSearchServices } from './search/search-services.ts'
import type { MayBePlain } from './single-sign-on/provider.ts'
import { makeSignOnServices } from './single-sign-on/sign-on-services.ts'
import type { SourceLimits } from './sources/source-limits.ts'
import { makeSourceServices } from './sources/source-services.ts'
import { makeStorageQuota } from './storage/storage-quota.ts'
import { makeActivityHooks } from './webhooks/activity-hooks.ts'
import { makeQueueing } from './webhooks/queue/queueing.ts'
import type { WebhookLimits } from './webhooks/webhook-limits.ts'
import { makeWebhookServices } from './webhooks/webhook-services.ts'

export type Forge = ReturnType<typeof makeForge>

const hourMs = 60 * 60 * 1000
/** Creating a repository never takes this long. */
const abandonedAfterMs = hourMs
const sweepKind = 'forge.draft-sweep'
/** Longer while servers run: an import makes all its repositories before the first one has an owner. */
const sweptAfterMs = 24 * hourMs

type Needs = {
  store: Store
  clock: Clock
  log: Log
  accounts: Accounts
  tokens: Tokens
  lockouts: Lockouts
  jobs: Jobs
  /** The folder of the bare repositories. */
  dataFolder: string
  /** Whether the data folder was missing at the last check. */
  isFolderAway: () => boolean
  maxPushBytes: number
  gitLimits: GitLimits
  blobs: Blobs
  files: StoredFiles
  fileLimits: FileLimits
  quotas: Quotas
  /** More notifications than this are marked as read in the background. */
  markedAtOnce: number
  /** Who makes organisations. */
  makesOrganisations: 'admins' | 'everyone'
  /** The server's public address, if configured: links to it in texts become references. */
  origin: string | undefined
  /** Which identity providers may be reached without TLS. */
  mayBePlain: MayBePlain
  auditLog: AuditLog
  webhookLimits: WebhookLimits
  /** Parts of the operator's network that webhooks may call. */
  webhookNetworks: BlockList
  sourceLimits: SourceLimits
  /** Parts of the operator's network that may be imported from. */
  importNetworks: BlockList
  /** How host names of webhooks and sources are resolved; by default as the system does. */
  resolve?: Resolve | undefined
}

export function makeForge({
  store: given,
  clock,
  log,
  accounts,
  tokens,
  lockouts,
  jobs,
  dataFolder,
  isFolderAway,
  maxPushBytes,
  gitLimits,
  blobs,
  files,
  fileLimits,
  quotas,
  markedAtOnce,
  makesOrganisations,
  origin,
  mayBePlain,
  auditLog,
  webhookLimits,
  webhookNetworks,
  sourceLimits,
  importNetworks,
  resolve,
}: Needs) {
  const store: Store = { ...given, write: (act, options) => given.write(act, options).catch(refuseGone) }
  const queueing = makeQueueing({ db: store.db, clock, jobs, limits: webhookLimits })
  const activity = makeActivity({ store, clock, jobs, hooks: makeActivityHooks({ queueing, clock }) })
  const isKnown = async (id: number, on = store.db) =>
    (await on.selectFrom('repository').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
  const root = join(dataFolder, repositoriesFolder)
  const git = makeGit({ root, isKnown: (id) => isKnown(id), isAway: isFolderAway, log, limits: gitLimits })
  jobs.define(sweepKind, async () => git.sweep((await readFolderTime(dataFolder)) - sweptAfterMs))
  jobs.every(sweepKind, hourMs)
  const deletion = makeDeletion({ store, clock, log, git, jobs })
  const peopleRoom = makePeopleServices({
    ...{ store, clock, accounts, lockouts, activity, quotas, makesOrganisations },
  })
  const { people, teams, teamChanges } = peopleRoom
  const opening = makeOpening({ store, listMaintained: makeMaintainedBranches({ store }) })
  const reading = makeGitReading({ git })
  const insights = makeInsights({ reading, people })
  const teamRepositories = makeTeamRepositories({ store, clock, teams, changes: teamChanges })
  const tidying = makeMaintenance({ store, git, jobs, opening, insights })
  const pushes = makePushes({ store, clock, log, git, jobs, activity, opening, tidying })
  const copying = makeCopying({ git, limits: gitLimits })
  const storage = makeStorageQuota({ store, quotas })
  const make = makeRepositoryCreation({
    store,
    clock,
    opening,
    git,
    pushes,
    activity,
    furnish: insertDefaultLabels,
    quotas,
    storage,
  })
  const statuses = makeStatuses({ store, clock, activity })
  const checkReading = makeCheckReading({ store })
  const checks = makeChecks({ store, clock, activity, reading: checkReading, gitReading: reading })
  const commitStanding = makeCommitStanding({ store, statuses, checkReading })
  const protection = makeProtection({ store, clock, standing: commitStanding })
  const { checkPush } = protection
  const { demandSpaceFor } = storage
  const lfsObjects = makeLfsObjects({ store, clock, files, limits: fileLimits, demandSpaceFor, isFolderAway })
  const merging = makeMerging({ git })
  const refMoving = makeRefMoving({ git, pushes })
  const code = makeCodeWriting({ clock, git, merging, refMoving, checkPush, rules: protection, storage })
  const organisationDoor = makeOrganisationDoor({ store, people })
  const { verbs: issueRoom, ties } = makeIssueServices({
    ...{ store, clock, log, jobs, activity, people, git, pushes, origin },
    gitReading: reading,
    refs: code.refs,
    recall: tokens.recall,
  })
  const { issueReading } = issueRoom
  const renderer = makeRenderer({ log })
  const comparing = makeComparing({ git, reading })
  const contents = makeContents({ reading })
  const forks = makeForks({ store, opening, copying, make, copyLargeFiles: lfsObjects.copyWithin, storage })
  const { beforeDeletion, ...pullRoom } = makePullServices({
    ...{ store, clock, log, jobs, activity, opening, people, forks, ...issueRoom, ...ties, ...protection },
    ...{ git, reading, comparing, contents, copying, merging, refMoving, refs: code.refs, pushes, tidying },
    ...{ storage, statuses, checks, recall: tokens.recall },
    lfsSharing: makeLfsSharing({ store, clock, log, git, demandSpaceFor }),
  })
  const pgp = makePgp()
  const commitComments = makeCommitComments({ store, clock, activity })
  const giveWithin = makeGrantWithin({ clock, activity })

  /** Work that was postponed while the repository was locked or archived. */
  const catchUpWithin = async (trx: Db, repositoryId: number) => {
    await ties.commitReferences.catchUpWithin(trx)
    await pullRoom.pushedPulls.catchUpWithin(trx, repositoryId)
  }
  const { retention, ...migrationRoom } = makeMigrationServices({
    ...{ store, clock, log, jobs, accounts, opening, git, gitLimits, copying, blobs, files, fileLimits },
    ...{ quotas, storage, dataFolder, catchUpWithin },
  })

  const appRoom = makeAppServices({ store, clock, jobs, accounts, tokens, people, activity })

  const repositories = makeRepositories({
    ...{ store, clock, opening, git, make, activity, deletion, beforeDeletion, catchUpWithin, teamRepositories },
  })
  const serving = makeServing({
    ...{ git, pushes, checkPush, limits: gitLimits, maxPushBytes, log },
    receiveStorage: storage.receive,
  })
  const environments = makeEnvironments({ store, clock })
  const wikis = makeWikis({
    ...{ store, git, limits: gitLimits, maxPushBytes, log },
    ...{ receiveStorage: storage.receive, demandSpace: storage.demandSpace },
  })
  const wikiPages = makeWikiPages(wikis)

  return {
    ...peopleRoom,
    ...issueRoom,
    ...pullRoom,
    ...migrationRoom,
    ...appRoom,
    oauth: makeOAuthServices({ ...{ store, clock, accounts, tokens }, registration: appRoom.apps, ...appRoom }),
    activity,
    git,
    pushes,
    opening,
    threadWatching: makeThreadWatching({ store, opening }),
    organisationDoor,
    reading,
    archives: makeArchives({ reading, limits: gitLimits }),
    comparing,
    contents,
    blame: makeBlame({ reading, contents }),
    lastCommits: makeLastCommits({ reading, contents }),
    code,
    files,
    fileLimits,
    commitComments,
    feeds: makeFeeds({
      ...{ store, clock, jobs, activity },
      reading: makeFeedReading({ store, issueReading, commitComments, reviewReading: pullRoom.reviewReading }),
    }),
    releases: makeReleases({ store, clock, activity, reading, code }),
    releaseNotes: makeNotesMaking({ reading, comparing }),
    assets: makeAssets({ store, clock, files, limits: fileLimits, storage }),
    attachments: makeAttachments({ store, clock, opening, files, limits: fileLimits, storage }),
    storage,
    lfsObjects,
    lfsLocks: makeLfsLocks({ store, clock }),
    sshKeys: makeSshKeys({ store, clock, tokens, accounts }),
    sshSigningKeys: makeSshSigningKeys({ store, clock }),
    keyAdministration: makeKeyAdministration({ store, clock }),
    gpgKeys: makeGpgKeys({ store, clock, pgp }),
    verifications: makeVerifications({ store, clock, people, pgp }),
    ssh: makeSshPlace(),
    statuses,
    environments,
    autolinks: makeAutolinks({ store, clock }),
    dispatching: makeRepositoryDispatch({ store, activity }),
    deployments: makeDeployments({
      ...{ store, clock, activity, reading, environments },
      branches: code.branches,
      standing: commitStanding,
    }),
    checks,
    checkReading,
    commitStanding,
    protection,
    insights,
    templates: makeTemplates({ reading }),
    merging,
    refMoving,
    renderer,
    teamRepositories,
    tokenAdministration: makeTokenAdministration({ store, clock, accounts, tokens, opening }),
    repositories,
    sources: makeSourceServices({
      ...{ store, clock, log, jobs, accounts, opening, git, serving, pushes, origin, resolve },
      limits: sourceLimits,
      networks: importNetworks,
      setDefaultBranch: (access, defaultBranch) => repositories.update(access, { defaultBranch }),
    }),
    forks,
    generating: makeTemplateGeneration({
      ...{ clock, opening, copying, make, storage },
      copyLargeFiles: lfsObjects.copyWithin,
    }),
    movedFiles: makeMovedFiles({ opening, reading }),
    templateCopies: makeTemplateCopies({
      ...{ store, opening, organisationDoor, copying, make, storage },
      copyLargeFiles: lfsObjects.copyWithin,
      giveWithin,
    }),
    transferring: makeTransferring({
      ...{ store, clock, opening, organisationDoor, people, teams, teamChanges, activity, giveWithin, quotas, storage },
    }),
    repositoryLists: makeRepositoryLists({ store }),
    collaborators: makeCollaborators({ store, clock, accounts, people, organisationDoor, opening, activity }),
    invitations: makeInvitations({ store, clock, opening, activity }),
    watching: makeWatching({ store, clock }),
    stars: makeStars({ store, clock, activity }),
    singleSignOn: makeSignOnServices({ store, clock, log, activity, people, mayBePlain }),
    search: makeSearchServices({ store, reading, people }),
    nodePlaces: makeNodePlaces({ store }),
    notifications: makeNotifications({ store, clock, jobs, activity, opening, markedAtOnce }),
    wikis,
    wikiPages,
    wikiWriting: makeWikiWriting({ clock, wikis, wikiPages }),
    serving,
    auditLog,
    webhooks: makeWebhookServices({
      ...{ store, clock, log, jobs, accounts, activity, queueing, origin, resolve },
      limits: webhookLimits,
      networks: webhookNetworks,
    }),

    async close(): Promise<void> {
      await Promise.all([renderer.close(), pgp.close()])
    },

    /** Cleans up after a server that died; runs before the first request. */
    async start(): Promise<void> {
      await git.prepareRoot()
      await deletion.finish()
      await retention.start()
      await pushes.recover()
      // With an embedded database there is no other server, so every unfinished repository is abandoned.
      const before =
        store.engine === 'sqlite' ? Number.POSITIVE_INFINITY : (await readFolderTime(dataFolder)) - abandonedAfterMs
      await git.sweep(before)
      await git.setAsideUnwanted((ids) => store.write((trx) => listWanted(trx, ids), { locks: [folderLock] }))
    },
  }
}

/** Repositories that have a row, or a deletion row. */
async function listWanted(trx: Db, ids: readonly number[]): Promise<number[]> {
  const known = await trx.selectFrom('repository').select('id').where('id', 'in', ids).execute()
  const going = await trx
    .selectFrom('repository_deletion')
    .select('repository_id as id')
    .where('repository_id', 'in', ids)
    .execute()
  return [...known, ...going].map(({ id }) => id)
}

/** A foreign key fails if the act's subject was deleted meanwhile. */
function refuseGone(error: unknown): never {
  throw isForeignKeyViolation(error) ? notFound() : error
}
