/** The services: makes each service once and connects them. It is the only place where modules meet. */
import { join } from 'node:path'
import { makeAccounts } from './accounts/accounts.ts'
import { theServer } from './accounts/actor.ts'
import { makeAuditLog } from './accounts/audit/audit-log.ts'
import { makeOwnCredentials } from './accounts/own-credentials.ts'
import { liftQuotas } from './accounts/quotas.ts'
import { makeRateBudgets, type RateBudgets } from './accounts/rates/rate-budgets.ts'
import { makeSharedSecrets } from './accounts/shared-secrets.ts'
import { credentialRule, makeLockout } from './accounts/sign-in/lockout.ts'
import { makeLockouts } from './accounts/sign-in/lockouts.ts'
import { makePasswords, type Passwords } from './accounts/sign-in/passwords.ts'
import { makeSessions } from './accounts/sign-in/sessions.ts'
import { makeSwitches } from './accounts/switches.ts'
import { makeTokens } from './accounts/tokens.ts'
import { makeCodeHost } from './code-host.ts'
import { makeDatasets } from './datasets/datasets.ts'
import { renderTable } from './datasets/export/table-file.ts'
import { makeTokenOwners } from './forge/access/token-owners.ts'
import { makeTokenReach } from './forge/apps/token-reach.ts'
import { makeStoredFiles } from './forge/files/stored-files.ts'
import { makeForge } from './forge/forge.ts'
import { readBranchMoves } from './forge/git/push/ref-change.ts'
import { makeLimits } from './forge/limits/limits.ts'
import type { Resolve } from './forge/outbound/destination.ts'
import { makeTokenAdmission } from './forge/single-sign-on/admission.ts'
import { makeJobs } from './jobs/jobs.ts'
import { makeJudge } from './judge/judge.ts'
import { describeResult } from './judge/submissions/status.ts'
import type { Clock } from './lib/clock.ts'
import { demand } from './lib/failure.ts'
import type { Log } from './lib/log.ts'
import { countIpv6By, networkOf } from './lib/network.ts'
import { type ExecutorState, makeReadiness, notStarted } from './readiness.ts'
import type { Settings } from './settings.ts'
import { removeForgottenStages } from './store/files/backup-stages.ts'
import { makeBlobs } from './store/files/blobs.ts'
import { temporaryFolder } from './store/files/data-folder.ts'
import { readFolderTime } from './store/files/folder-time.ts'
import { makeTemporaryFiles } from './store/files/temporary-files.ts'
import { type FolderWatch, unwatchedFolder } from './store/installation/folder-watch.ts'
import { blobsFolder } from './store/installation/inspection.ts'
import type { Store } from './store/store.ts'

export type Services = Awaited<ReturnType<typeof makeServices>>

type Needs = {
  settings: Settings
  store: Store
  clock: Clock
  log: Log
  folder?: FolderWatch
  /** How host names of webhooks and sources are resolved. */
  resolve?: Resolve | undefined
  passwords?: Passwords | undefined
  /** The executor that runs beside the server. It starts after the server listens. */
  executorInside?: (() => ExecutorState) | undefined
}

const minuteMs = 60_000
export async function makeServices({
  settings,
  store,
  clock,
  log,
  folder = unwatchedFolder,
  resolve,
  ...given
}: Needs) {
  const executorInside = settings.executors > 0 ? (given.executorInside ?? notStarted) : undefined
  countIpv6By(settings.ipv6Prefix)
  const quotas = settings.limits === 'on' ? settings.quotas : liftQuotas(settings.quotas)
  const passwords = given.passwords ?? makePasswords()
  const switches = makeSwitches({ store, clock })
  const auditLog = makeAuditLog({ store, clock, keptDays: settings.auditDays })
  const owners = makeTokenOwners({ admit: makeTokenAdmission({ clock }) })
  const tokens = makeTokens({ store, clock, quotas, narrowToApp: makeTokenReach({ store }), owners })
  const lockout = makeLockout({
    store,
    clock,
    rule: {
      name: 'password',
      tries: 10,
      withinMs: 15 * minuteMs,
      blockMs: 15 * minuteMs,
      message: 'Too many wrong passwords for this name: wait 15 minutes and try again.',
    },
  })
  const lockouts = makeLockouts({ store, clock })
  const rates = makeRateBudgets({ store, clock, log })
  const jobs = makeJobs({ store, clock, log, isAlone: store.engine === 'sqlite' })
  const accounts = makeAccounts({
    store,
    clock,
    passwords,
    switches,
    lockout,
    spendCreation: (address, count) => spendAccountCreation(rates, settings, clock, address, count),
    maySetPassword: (actor, id) => judge.passwordRights.maySetPassword(actor, id),
    isFreeName: (id, name) => judge.members.isFreeName(id, name),
  })
  const sessions = makeSessions({ store, clock, passwords, lockout, switches, quotas })
  const datasets = makeDatasets({ store, clock, log, jobs, quotas, openFile: () => temporaryFiles.open() })
  const ownCredentials = makeOwnCredentials({ sessions, tokens, clock })
  const blobs = makeBlobs(join(settings.dataFolder, blobsFolder))
  const files = makeStoredFiles({ store, clock, log, jobs, blobs })
  const judge = makeJudge({
    store,
    clock,
    log,
    jobs,
    switches,
    limits: {
      ...settings.judgeLimits,
      ...(settings.limits === 'off' && unlimitedCalls),
    },
    accounts,
    storeSheet: (actor, name, portions) =>
      datasets.refill(
        actor,
        name,
        portions.map((items) => Buffer.from(JSON.stringify(items))),
      ),
    renderTable,
    files,
    host: makeCodeHost(() => forge),
  })

  jobs.define('datasets.sweep', () => datasets.sweep())
  jobs.every('datasets.sweep', minuteMs)
  const credentialLockout = makeLockout({ store, clock, rule: credentialRule })
  const forge = makeForge({
    store,
    clock,
    log,
    accounts,
    tokens,
    lockouts,
    jobs,
    dataFolder: settings.dataFolder,
    isFolderAway: folder.isAway,
    maxPushBytes: settings.pushLimitMib * 1024 * 1024,
    gitLimits: settings.gitLimits,
    blobs,
    files,
    fileLimits: settings.fileLimits,
    quotas,
    origin: settings.baseUrl,
    mayBePlain: (origin) => settings.plainIssuers?.includes(origin) ?? false,
    markedAtOnce: settings.markedAtOnce,
    makesOrganisations: settings.organisationMakers,
    auditLog,
    webhookLimits: settings.webhookLimits,
    webhookNetworks: settings.webhookNetworks,
    sourceLimits: settings.sourceLimits,
    importNetworks: settings.importNetworks,
    resolve,
  })
  judge.finishedSubmissions.consume((trx, { id, authorId }) =>
    forge.webhooks.tellSite(trx, {
      event: 'submission',
      action: 'finished',
      source: { actorId: authorId, subjectId: id, data: {}, at: clock.now() },
    }),
  )
  const { submissionsRepository } = settings
  judge.finishedSubmissions.consume(async (trx, { id, authorId, problemTitle, result }) => {
    const pushedTo = await judge.pushedFiles.findRepository(trx, id)
    const place = pushedTo === undefined ? submissionsRepository : { id: pushedTo }
    if (!place) return
    const title = `${problemTitle}: ${describeResult(result)}`
    await forge.notifications.submissions.note(trx, place, { id, authorId, title })
  })
  forge.pushes.consume({
    listLocks: async () => [],
    process: (trx, { id: pushId, repository, pusher: pusherId, changes }) =>
      judge.pushedFiles.note(trx, {
        ...{ pushId, repositoryId: repository.id, pusherId, at: clock.now(), moves: readBranchMoves(changes) },
        findDefaultBranch: async () => (await forge.opening.find(theServer, repository, trx))?.defaultBranch,
      }),
  })
  const limits = makeLimits({
    store,
    rates,
    clock,
    figures: settings.limitFigures,
    isOn: settings.limits === 'on',
    tokenAdministration: forge.tokenAdministration,
    log,
  })

  jobs.define('rates.prune', () => rates.prune())
  jobs.every('rates.prune', minuteMs)
  jobs.define('accounts.prune', async () => {
    await sessions.prune()
    await lockout.prune()
    await tokens.prune()
    await auditLog.prune()
    await forge.oauth.prune()
  })
  jobs.every('accounts.prune', 60 * minuteMs)
  jobs.define('judge.sweep', () => judge.uploads.sweep())
  jobs.every('judge.sweep', 60 * minuteMs)
  jobs.define('judge.stranded', () => judge.stranded.warn())
  jobs.every('judge.stranded', 5 * minuteMs)

  /** Files older than this belong to no upload in progress: silent clients would have been disconnected. */
  const longSilent = async () =>
    (await readFolderTime(settings.dataFolder)) - Math.max(60 * minuteMs, 3_000 * settings.gitIdleSeconds)
  jobs.define('files.sweep', async () => {
    await removeForgottenStages(settings.dataFolder, true)
    await blobs.sweep(await longSilent())
  })
  jobs.every('files.sweep', 60 * minuteMs)

  const temporaryFiles = makeTemporaryFiles(join(settings.dataFolder, temporaryFolder))

  return {
    settings,
    store,
    log,
    clock,
    accounts,
    sessions,
    ownCredentials,
    tokens,
    switches,
    sharedSecrets: makeSharedSecrets({ store }),
    rates,
    jobs,
    datasets,
    forge,
    limits,
    credentialLockout,
    lockouts,
    temporaryFiles,
    blobs,
    judge,
    readiness: makeReadiness({ store, folder, dataFolder: settings.dataFolder, executorInside }),
    /** Starts the background work, once the server listens. */
    async start() {
      await temporaryFiles.prepare()
      await temporaryFiles.sweep()
      // With an embedded database, the lock on the folder excludes restores.
      await removeForgottenStages(settings.dataFolder, store.engine !== 'sqlite')
      await blobs.prepare()
      // With an embedded database there is no other server; with PostgreSQL another server may be receiving an upload.
      await blobs.sweep(store.engine === 'sqlite' ? Number.POSITIVE_INFINITY : await longSilent())
      await forge.start()
      await jobs.start()
      await datasets.start()
    },
    async close() {
      folder.close()
      await jobs.stop()
      await judge.close()
      await datasets.close()
      await forge.close()
      await rates.close()
      await store.close()
    },
  }
}

const unlimitedCalls = {
  waitingSubmissions: Number.POSITIVE_INFINITY,
  waitingCalls: Number.POSITIVE_INFINITY,
  callsPerMinute: Number.POSITIVE_INFINITY,
}

const accountsAnHour = 600

async function spendAccountCreation(
  rates: RateBudgets,
  settings: Settings,
  clock: Clock,
  address: string,
  cost: number,
): Promise<void> {
  const limit = settings.limits === 'on' ? accountsAnHour : Number.POSITIVE_INFINITY
  const { allowed, refusedBy } = await rates.spend([
    { key: `new-account:${networkOf(address)}`, limit, windowMs: 60 * minuteMs, cost },
  ])
  demand(
    allowed,
    'limited',
    'account-quota',
    `From one address ${limit} accounts an hour can be made: wait and try again.`,
    {
      retryAfterSeconds: Math.ceil(((refusedBy?.resetAt ?? 0) - clock.now()) / 1000),
    },
  )
}
