/** The HTTP server: one Fastify instance on one port, with a plugin for each wire. */
import type { IncomingMessage, ServerResponse as Response } from 'node:http'
import Fastify, { type FastifyInstance } from 'fastify'
import { makeBacklogMetrics } from './backlog-metrics.ts'
import { mebibyte } from './base/bytes.ts'
import { makeRequestNames } from './base/ids.ts'
import { hideSecrets, type Log } from './base/log.ts'
import { enterRequest } from './base/request-context.ts'
import { hasClientIdForm } from './forge/apps/app-credentials.ts'
import { hasWebTokenForm } from './forge/apps/json-web-token.ts'
import type { House } from './house.ts'
import { maySeeProblem, requireJudgeScope } from './judge/access.ts'
import { type Metrics, makeMetrics } from './metrics.ts'
import { makeAuthenticate } from './wires/authenticate.ts'
import { makeByteBudget } from './wires/byte-budget.ts'
import { catchUpFirst } from './wires/catching-up.ts'
import { boundConnections } from './wires/connection-bounds.ts'
import { makeDatasetApi } from './wires/dataset-api/dataset-api.ts'
import { gitHttp } from './wires/forge-git/git-http.ts'
import { lfsHttp } from './wires/forge-git/lfs/lfs.ts'
import { makeGraphql } from './wires/forge-graphql/forge-graphql.ts'
import { makeForgeRest } from './wires/forge-rest/forge-rest.ts'
import { makeIdentify } from './wires/identify.ts'
import { makeJsonParsing } from './wires/json-parsing.ts'
import { judgePackages } from './wires/judge-packages/judge-packages.ts'
import { makeJudgeRpc } from './wires/judge-rpc/judge-rpc.ts'
import { makeMethods } from './wires/judge-rpc/methods.ts'
import { presentSubmissionSnippet } from './wires/judge-rpc/shapes/submissions.ts'
import { refuseHead, refuseMalformed } from './wires/malformed-request.ts'
import { oauth } from './wires/oauth/oauth.ts'
import { serveInTurn } from './wires/pipelining.ts'
import { paceRequests } from './wires/request-pacing.ts'
import { type Observe, securityHeaders } from './wires/response.ts'
import { ServerResponse } from './wires/response-head.ts'
import { closeSilentConnections, watchConnections } from './wires/silent-connections.ts'
import { singleSignOn } from './wires/single-sign-on/single-sign-on.ts'
import { web } from './wires/web/web.ts'
import { wrapRequests } from './wires/wrap-requests.ts'

/** The limit of wires that set none of their own. */
const defaultBodyLimit = mebibyte
/** A client that neither sends nor reads for this long is disconnected, even in the middle of a request; git has its own limit. */
const idleMs = 5 * 60_000
/** Node takes this much of a request's head, so every path that arrives is routed, and a too long one is answered with 404. */
const longestName = 16 * 1024

export async function makeServer(house: House): Promise<FastifyInstance> {
  const { settings, log } = house
  const { heldMib, heldMibPerCaller, arrivingMib, arrivingMibPerCaller } = settings.quotas
  const budgets = {
    memory: makeByteBudget({ inAll: heldMib * mebibyte, perCaller: heldMibPerCaller * mebibyte }),
    files: makeByteBudget({ inAll: arrivingMib * mebibyte, perCaller: arrivingMibPerCaller * mebibyte }),
  }
  const metrics = makeMetrics(
    [
      {
        name: 'guildhall_held_bytes',
        help: 'What bodies that arrive and answers that leave take of the memory.',
        read: () => budgets.memory.held,
      },
      {
        name: 'guildhall_arriving_bytes',
        help: 'What lies on the disk of uploads that have not all arrived.',
        read: () => budgets.files.held,
      },
    ],
    makeBacklogMetrics(house),
  )
  const nameRequest = makeRequestNames()
  // Before anything else of a request: what fails from here on is known to be its own.
  let requestCount = 0
  const beginRequest = ({ socket }: IncomingMessage): string => {
    requestCount++
    const id = nameRequest()
    enterRequest(id, socket)
    return id
  }
  const trustsProxy = settings.trustProxy === 'on'
  const server = Fastify({
    logger: false,
    genReqId: beginRequest,
    // One proxy is trusted: it appends its client's address, and everything before that was written by the client.
    trustProxy: trustsProxy && ((_address: string, hop: number) => hop === 0),
    bodyLimit: defaultBodyLimit,
    forceCloseConnections: 'idle',
    // A request that was on its way when the stop began is served like any other; Fastify would refuse it in words of its own.
    return503OnClosing: false,
    // Node's own refusal would have neither words nor security headers: see refuseHead.
    http: { requireHostHeader: false, ServerResponse },
    connectionTimeout: idleMs,
    clientErrorHandler: (error, socket) => refuseMalformed(error, socket, settings.baseUrl),
    routerOptions: { compile: true, maxParamLength: longestName, ignoreDuplicateSlashes: false },
  })

  const logsRequests = log.isLevelEnabled('debug')
  const observe: Observe = (route, method, status, elapsedMs, requestId, url) => {
    metrics.observe(route, method, status, elapsedMs)
    // A query may carry a token.
    if (logsRequests) log.debug({ requestId, method, url: hideSecrets(url), status, ms: elapsedMs })
  }

  const { baseUrl } = settings
  const parseJson = makeJsonParsing()
  const authenticate = makeAuthenticate(house)
  const identifying = {
    ...house,
    authenticate,
    lockout: house.credentialLockout,
    observeRead: house.store.observeRead,
    baseUrl,
    chargeAddress: (address: string) => house.limits.chargeAddress(address),
  }
  // Long polls would keep the server from closing for half a minute.
  server.addHook('preClose', () => house.judge.longPolls.close())
  server.addHook('preClose', async () => house.forge.notifications.streams.close())
  server.addHook('preClose', async () => house.datasets.endFollowing())
  // The judge's wire writes its headers and metrics itself, as the hosting interface does.
  const openFile = house.temporaryFiles.open
  const judge = makeJudgeRpc({
    methods: makeMethods(house),
    authenticate,
    baseUrl,
    log,
    observe,
    openFile,
    clock: house.clock,
    callsPerMinute: house.judge.limits.callsPerMinute,
    budgets,
    parseJson,
    observeRead: house.store.observeRead,
    beginRequest,
    trustsProxy,
  })
  await server.register(judge.plugin)
  const identifyPlainly = makeIdentify({ ...identifying, takesBasic: false })
  // As does that of the data sets.
  const datasets = makeDatasetApi({
    ...house,
    limits: settings.limits,
    identify: identifyPlainly,
    baseUrl,
    budget: budgets.memory,
    parseJson,
    observe,
    observeRead: house.store.observeRead,
    beginRequest,
    trustsProxy,
    countRequests: () => requestCount,
  })
  await server.register(async (others) => {
    addCommonHooks(others, observe)
    await others.register(health, { house, metrics })
    await others.register(web, {
      identify: identifyPlainly,
      log,
      submissions: {
        demandScope: requireJudgeScope,
        onChange: house.judge.events.onChange,
        findVisibility: house.judge.findVisibility,
        maySeeProblem,
      },
    })
    await others.register(judgePackages, { judge: house.judge, identify: identifyPlainly, log, budgets, openFile })
    await others.register(singleSignOn, { ...house, identify: identifyPlainly, baseUrl })
    await others.register(oauth, { ...house, identify: identifyPlainly, baseUrl })
  })
  const apps = { ...house.forge.appCredentials, hasWebTokenForm, hasClientIdForm }
  const identify = makeIdentify({ ...identifying, takesBasic: true, apps })
  const gitIdleMs = settings.gitIdleSeconds * 1000
  await server.register(gitHttp, { ...house, identify, observe, baseUrl, gitIdleMs, budget: budgets.memory })
  await server.register(lfsHttp, {
    ...house,
    figures: settings.limitFigures,
    identify,
    observe,
    baseUrl,
    gitIdleMs,
    budgets,
    parseJson,
  })
  // The hosting interface writes its own headers and figures too. It owns every path that no other wire does.
  const hosting = makeForgeRest({
    ...house,
    figures: settings.limitFigures,
    identify,
    observe,
    budgets,
    parseJson,
    observeRead: house.store.observeRead,
    catchUp: house.store.catchUp,
    baseUrl,
    beginRequest,
    trustsProxy,
    answerGraphql: makeGraphql(house),
    presentSubmission: async (viewer, id) => presentSubmissionSnippet(await house.judge.submissions.get(viewer, id)),
  })
  await server.register(hosting.plugin)
  dispatch(server, [judge, datasets, hosting], settings.baseUrl)
  if (!trustsProxy) watchForProxy(server, log)
  paceRequests(server.server)
  if (house.store.engine === 'postgres')
    catchUpFirst(server.server, { catchUp: house.store.catchUp, isLeft: hosting.isOwn })
  serveInTurn(server.server)
  watchConnections(server.server)
  boundConnections(server.server, settings.quotas, !trustsProxy)
  return server
}

/** A wire that serves before Fastify what has an address of its own, and answers whether it has. */
type OwnWire = { serve(request: IncomingMessage, response: Response): boolean }

/** A keep-alive connection that is answered after the close began would keep the server open for as long as the client likes. */
export async function closeServer(server: FastifyInstance, patienceMs: number): Promise<void> {
  const sweeping = setInterval(() => server.server.closeIdleConnections(), 50)
  // What was sent before the close began has arrived by then.
  const silent = setTimeout(() => closeSilentConnections(server.server), 500)
  // A client may leave its request half sent for as long as it likes.
  const cutting = setTimeout(() => server.server.closeAllConnections(), Math.max(0, patienceMs))
  try {
    await server.close()
  } finally {
    clearInterval(sweeping)
    clearTimeout(silent)
    clearTimeout(cutting)
  }
}

/**
 * What no wire should see is refused before them, and what is plainly theirs never comes to Fastify. An expectation that we
 * do not know is passed over, as HTTP allows.
 */
function dispatch(server: FastifyInstance, wires: readonly OwnWire[], baseUrl: string | undefined): void {
  const { server: http } = server
  let isClosing = false
  server.addHook('preClose', async () => {
    isClosing = true
  })
  wrapRequests(http, (serve) => (request, response) => {
    if (refuseHead(request, response, baseUrl)) return
    request.url = pathOf(request.url ?? '/')
    if (isClosing) response.setHeader('connection', 'close')
    if (!wires.some((wire) => wire.serve(request, response))) serve(request, response)
  })
  http.on('checkContinue', (request, response) => {
    // Behind an answer that is still to come, Node writes these words into the body of this one, and its length is wrong.
    if (response.socket) response.writeContinue()
    http.emit('request', request, response)
  })
  http.on('checkExpectation', (request, response) => http.emit('request', request, response))
}

/** A client of a proxy sends the absolute URL (RFC 9112, section 3.2.2), of which only the path counts. */
function pathOf(url: string): string {
  const whole = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '') || '/'
  if (!whole.includes('%')) return whole
  const mark = whole.indexOf('?')
  const path = mark < 0 ? whole : whole.slice(0, mark)
  try {
    decodeURIComponent(path)
    return whole
  } catch {
    // Fastify would refuse a path that can't be decoded before any wire sees it; escaped, it is answered with 404. In a query
    // each wire reads what can't be decoded as it stands.
    return path.replaceAll('%', '%25') + whole.slice(path.length)
  }
}

/** Behind a proxy that is not believed all clients have one address: ten wrong tokens of one would lock out all. */
function watchForProxy({ server }: FastifyInstance, log: Log): void {
  let isTold = false
  server.on('request', ({ headers }: IncomingMessage) => {
    if (isTold || (headers['x-forwarded-for'] === undefined && headers.forwarded === undefined)) return
    isTold = true
    log.warn(
      'a request came through a proxy, which is not believed: all its clients count as one address, in limits and in lock-outs. ' +
        'Set GUILDHALL_TRUST_PROXY=on if every request comes through a proxy of yours that sets X-Forwarded-For.',
    )
  })
}

function addCommonHooks(server: FastifyInstance, observe: Observe): void {
  server.addHook('onRequest', (request, reply, done) => {
    reply.headers({ 'x-request-id': request.id, ...securityHeaders })
    done()
  })
  server.addHook('onResponse', (request, reply, done) => {
    const { method, id, url, routeOptions } = request
    observe(routeOptions.url ?? 'unknown', method, reply.statusCode, reply.elapsedTime, id, url)
    done()
  })
}

async function health(server: FastifyInstance, { house, metrics }: { house: House; metrics: Metrics }): Promise<void> {
  server.get('/healthz', async () => ({ status: 'ok' }))
  // These are begun at once, however many there are: those who ask at the same time are told by one look.
  let looking: ReturnType<House['readiness']> | undefined
  const look = () => {
    looking ??= house.readiness().finally(() => {
      looking = undefined
    })
    return looking
  }
  server.get('/readyz', async (_request, reply) => {
    const { isReady, isWhole, ...parts } = await look()
    const status = isWhole ? 'ok' : isReady ? 'degraded' : 'not ready'
    return reply.code(isReady ? 200 : 503).send({ status, ...parts })
  })
  server.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.render()))
}
