/** Registers a Fastify plugin for each interface, with the services that it uses. */
import type { FastifyInstance } from 'fastify'
import { contestApi } from './api/contest-api/contest-api.ts'
import { datasetApi } from './api/dataset-api/dataset-api.ts'
import { describeDatasets } from './api/dataset-api/openapi.ts'
import { makeGraphql } from './api/forge-graphql/forge-graphql.ts'
import { forgeRest } from './api/forge-rest/forge-rest.ts'
import { describeForge } from './api/forge-rest/openapi/openapi.ts'
import { makeRoutes } from './api/forge-rest/routes.ts'
import { gitHttp } from './api/git/git-http.ts'
import { lfsHttp } from './api/git/lfs/lfs.ts'
import { makeAuthenticate } from './api/identity/authenticate.ts'
import { makeIdentify } from './api/identity/identify.ts'
import { makeJsonParsing } from './api/json/json-parsing.ts'
import { judgePackages } from './api/judge-packages/judge-packages.ts'
import { judgeRpc } from './api/judge-rpc/judge-rpc.ts'
import { makeMethods } from './api/judge-rpc/methods.ts'
import { describeMethods } from './api/judge-rpc/openapi.ts'
import { presentSubmissionSnippet } from './api/judge-rpc/shapes/submission-shapes.ts'
import { oauth } from './api/oauth/oauth.ts'
import { singleSignOn } from './api/single-sign-on/single-sign-on.ts'
import { sendShell } from './api/web/shell.ts'
import { web } from './api/web/web.ts'
import { SelfAccess } from './forge/access/self-access.ts'
import { hasClientIdForm } from './forge/apps/app-credentials.ts'
import { hasWebTokenForm } from './forge/apps/json-web-token.ts'
import { inboxNeed } from './forge/notifications/inbox/inbox.ts'
import type { Budgets } from './http/byte-budget.ts'
import { requireJudgeScope } from './judge/access.ts'
import type { Services } from './services.ts'

export async function registerInterfaces(
  app: FastifyInstance,
  services: Services,
  budgets: Budgets,
  countRequests: () => number,
): Promise<void> {
  const { settings, log, accounts, clock, datasets, forge, judge, limits, rates, sessions, tokens, credentialLockout } =
    services
  const { opening, singleSignOn: signOn, oauth: oauthServices } = forge
  const { baseUrl, limitFigures: figures } = settings
  const parseJson = makeJsonParsing()
  const authenticate = makeAuthenticate({ sessions, tokens })
  const openFile = services.temporaryFiles.open
  const identifying = {
    authenticate,
    tokens,
    lockout: credentialLockout,
    baseUrl,
    chargeAddress: (address: string) => limits.chargeAddress(address),
  }
  const apps = { ...forge.appCredentials, hasWebTokenForm, hasClientIdForm }
  const identify = makeIdentify({ ...identifying, takesBasic: true, apps })
  const identifyPlainly = makeIdentify({ ...identifying, takesBasic: false })
  const gitIdleMs = settings.gitIdleSeconds * 1000
  const methods = makeMethods({
    accounts,
    sessions,
    ownCredentials: services.ownCredentials,
    switches: services.switches,
    judge,
    baseUrl,
  })
  const routes = makeRoutes({ forge, limits, answerGraphql: makeGraphql({ services: forge, limits, clock, log }) })

  await app.register(judgeRpc, {
    methods,
    authenticate,
    baseUrl,
    log,
    openFile,
    callsPerMinute: judge.limits.callsPerMinute,
    budgets,
    parseJson,
  })
  await app.register(datasetApi, {
    prefix: '/v2',
    datasets,
    accounts,
    rates,
    clock,
    log,
    parseJson,
    baseUrl,
    limits: settings.limits,
    identify: identifyPlainly,
    budget: budgets.memory,
    countRequests,
  })
  await app.register(web, {
    identify: identifyPlainly,
    log,
    descriptions: {
      judge: () => describeMethods(methods),
      forge: () => describeForge(routes),
      datasets: describeDatasets,
    },
    submissions: {
      demandScope: requireJudgeScope,
      onChange: judge.events.onChange,
      findVisibility: judge.findVisibility,
      findDeletionAudience: judge.findDeletionAudience,
    },
    inboxes: {
      demandScope: (actor) => void SelfAccess.demand(actor, inboxNeed),
      onChange: forge.notifications.streams.onChange,
    },
    threads: forge.threadWatching,
  })
  await app.register(judgePackages, { judge, identify: identifyPlainly, log, budgets, openFile })
  await app.register(contestApi, {
    judge,
    sessions,
    identify: identifyPlainly,
    identifyByBasic: makeIdentify({ ...identifying, takesBasic: true }),
    listLanguages: async () => (await judge.executors.describe()).languages,
    clock,
    log,
    budget: budgets.memory,
    parseJson,
    readFeedSecret: () => services.sharedSecrets.read('contest-feeds'),
  })
  await app.register(singleSignOn, {
    attempts: signOn.attempts,
    sessions,
    identify: identifyPlainly,
    log,
    baseUrl,
  })
  await app.register(oauth, {
    oauth: oauthServices,
    appCredentials: forge.appCredentials,
    limits,
    credentialLockout,
    sessions,
    identify: identifyPlainly,
    log,
    baseUrl,
  })
  await app.register(gitHttp, {
    opening,
    serving: forge.serving,
    wikis: forge.wikis,
    singleSignOn: signOn,
    identify,
    log,
    gitIdleMs,
    budget: budgets.memory,
    baseUrl,
  })
  await app.register(lfsHttp, {
    opening,
    lfsObjects: forge.lfsObjects,
    lfsLocks: forge.lfsLocks,
    fileLimits: forge.fileLimits,
    singleSignOn: signOn,
    clock,
    limits,
    figures,
    identify,
    log,
    baseUrl,
    gitIdleMs,
    budgets,
    parseJson,
  })
  await app.register(forgeRest, {
    routes,
    doorServices: forge,
    payloadServices: forge,
    pages: {
      people: forge.people,
      opening,
      issues: forge.issues,
      reading: forge.reading,
      apps: forge.apps,
      sendPage: (reply, isThere) => sendShell(reply, log, isThere),
    },
    webhooks: forge.webhooks,
    files: forge.files,
    fileLimits: forge.fileLimits,
    singleSignOn: signOn,
    limits,
    figures,
    identify,
    log,
    baseUrl,
    ssh: forge.ssh,
    budgets,
    parseJson,
    versionOf: () => services.store.version(),
    presentSubmission: async (viewer, id) => presentSubmissionSnippet(await judge.submissions.get(viewer, id)),
  })
}
