/** The HTTP server: one Fastify instance on one port, with a plugin for each interface. */
import { createServer, METHODS, type RequestListener, type Server } from 'node:http'
import { parse } from 'node:querystring'
import Fastify, { type FastifyInstance } from 'fastify'
import { encodeSlashedRef } from './api/forge-rest/slashed-refs.ts'
import type { SshServer } from './api/git/ssh/ssh.ts'
import { makeBacklogMetrics } from './backlog-metrics.ts'
import { makeByteBudget } from './http/byte-budget.ts'
import { boundConnections } from './http/connection-bounds.ts'
import { answerExpectations } from './http/expectations.ts'
import { refuseMalformed, refuseMalformedHeads } from './http/malformed-requests.ts'
import { answerInOrder } from './http/pipelining.ts'
import { paceRequests } from './http/request-pacing.ts'
import { addCommonHeaders } from './http/security-headers.ts'
import { closeSilentConnections, watchConnections } from './http/silent-connections.ts'
import { registerInterfaces } from './interfaces.ts'
import { makeRequestNames } from './lib/ids.ts'
import { hideSecrets, type Log } from './lib/log.ts'
import { enterRequest } from './lib/request-context.ts'
import { mebibyte } from './lib/text/bytes.ts'
import { type Metrics, makeMetrics } from './metrics.ts'
import type { Services } from './services.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route's name in the metrics, if not its address. */
    name?: string
  }
}

/** The limit for interfaces that set none of their own. */
const defaultBodyLimit = mebibyte
/**
 * A client that neither sends nor reads for this long is disconnected, even in the middle of a request; git has its own
 * limit.
 */
const idleMs = 5 * 60_000
/** How long a connection is kept after an answer: longer than the minute that most proxies keep theirs. */
const keepAliveMs = 72_000
/** Pushes and clones over SSH have this long to end after the close began, as those over HTTP have. */
const sshGraceMs = 7_500
/**
 * Node accepts this much of a request's head, so every path that arrives is routed, and one that is too long is
 * answered with 404.
 */
const longestName = 16 * 1024

export async function makeServer(services: Services): Promise<FastifyInstance> {
  const { settings, log } = services
  const { baseUrl } = settings
  const { heldMib, heldMibPerCaller, arrivingMib, arrivingMibPerCaller } = settings.quotas
  const budgets = {
    memory: makeByteBudget({ inAll: heldMib * mebibyte, perCaller: heldMibPerCaller * mebibyte }),
    files: makeByteBudget({ inAll: arrivingMib * mebibyte, perCaller: arrivingMibPerCaller * mebibyte }),
  }
  let ssh: SshServer | undefined
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
      {
        name: 'guildhall_ssh_connections',
        help: 'Open connections over SSH.',
        read: () => ssh?.counts.open ?? 0,
      },
    ],
    makeBacklogMetrics({
      jobs: services.jobs,
      judge: services.judge,
      webhooks: services.forge.webhooks,
      clock: services.clock,
      log,
    }),
  )
  const nameRequest = makeRequestNames()
  let requestCount = 0
  const trustsProxy = settings.trustProxy === 'on'
  const app = Fastify({
    logger: false,
    serverFactory: (serve) => makeGuardedServer(serve, services),
    clientErrorHandler: (error, socket) => refuseMalformed(error, socket, baseUrl),
    genReqId({ socket }) {
      requestCount++
      const id = nameRequest()
      // Errors from here on are attributed to this request.
      enterRequest(id, socket)
      return id
    },
    // One proxy is trusted: it appends its client's address, and everything before that was written by the client.
    trustProxy: trustsProxy && ((_address: string, hop: number) => hop === 0),
    bodyLimit: defaultBodyLimit,
    forceCloseConnections: 'idle',
    // A request that arrives as the stop begins is served like any other; Fastify would refuse it with its own message.
    return503OnClosing: false,
    rewriteUrl: ({ url = '/' }) => encodeSlashedRef(pathOf(url)),
    routerOptions: {
      maxParamLength: longestName,
      ignoreDuplicateSlashes: false,
      querystringParser: (text) => parse(text, '&', '=', { maxKeys: 0 }),
    },
  })
  // Each interface refuses unknown methods with its own message.
  for (const method of METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method, { hasBody: true })

  observeRequests(app, metrics, log)
  if (!trustsProxy) watchForProxy(app, log)
  await app.register(health, { services, metrics })
  // Long polls would delay the close by half a minute.
  app.addHook('preClose', () => services.judge.longPolls.close())
  app.addHook('preClose', async () => services.forge.notifications.streams.close())
  app.addHook('preClose', async () => services.datasets.endFollowing())

  const makeSsh = settings.sshPort === undefined ? undefined : (await import('./ssh-interface.ts')).makeSshInterface
  ssh = await makeSsh?.(app, services, budgets)
  await registerInterfaces(app, services, budgets, () => requestCount)
  if (ssh) {
    const { listen, close } = ssh
    app.addHook('onReady', () => listen(settings.sshPort!, settings.host))
    app.addHook('preClose', () => close(sshGraceMs))
  }
  return app
}

/** Node's server, with all that protects its connections. A request passes these in reverse order, then Fastify. */
function makeGuardedServer(fastify: RequestListener, { settings }: Services): Server {
  // Node's own refusal of a missing Host would have neither a message nor security headers.
  const server = createServer({ requireHostHeader: false })
  server.keepAliveTimeout = keepAliveMs
  server.requestTimeout = 0
  server.setTimeout(idleMs)
  // Heads are checked before a request may have to wait: a fault in its body would be answered first.
  const wellFormed = refuseMalformedHeads(paceRequests(server, fastify), settings.baseUrl)
  const inTurn = answerInOrder(wellFormed)
  server.on('request', boundConnections(server, inTurn, settings.quotas, settings.trustProxy !== 'on'))
  answerExpectations(server)
  watchConnections(server)
  return server
}

/**
 * Idle connections are closed repeatedly: a keep-alive connection answered after the close began would keep the server
 * open as long as the client likes.
 */
export async function closeServer(server: FastifyInstance, patienceMs: number): Promise<void> {
  const sweeping = setInterval(() => server.server.closeIdleConnections(), 50)
  // Requests sent before the close began have arrived by then.
  const silent = setTimeout(() => closeSilentConnections(server.server), 500)
  // A client may leave its request half sent for any time.
  const cutting = setTimeout(() => server.server.closeAllConnections(), Math.max(0, patienceMs))
  try {
    await server.close()
  } finally {
    clearInterval(sweeping)
    clearTimeout(silent)
    clearTimeout(cutting)
  }
}

/** A client of a proxy sends the absolute URL (RFC 9112, section 3.2.2); only its path counts. */
function pathOf(url: string): string {
  const whole = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '') || '/'
  if (!whole.includes('%')) return whole
  const mark = whole.indexOf('?')
  const path = mark < 0 ? whole : whole.slice(0, mark)
  try {
    decodeURIComponent(path)
    return whole
  } catch {
    // Fastify would refuse a path that can't be decoded before any interface sees it; escaped, it is answered with 404.
    // In a query each interface reads what can't be decoded as it is.
    return path.replaceAll('%', '%25') + whole.slice(path.length)
  }
}

/** Behind an untrusted proxy all clients have one address: ten wrong tokens of one would lock out all. */
function watchForProxy(app: FastifyInstance, log: Log): void {
  let isTold = false
  app.addHook('onRequest', async ({ headers }) => {
    if (isTold || (headers['x-forwarded-for'] === undefined && headers.forwarded === undefined)) return
    isTold = true
    log.warn(
      'a request came through a proxy, which is not believed: all its clients count as one address, in limits and in lock-outs. ' +
        'Set GUILDHALL_TRUST_PROXY=on if every request comes through a proxy of yours that sets X-Forwarded-For.',
    )
  })
}

function observeRequests(app: FastifyInstance, metrics: Metrics, log: Log): void {
  const logsRequests = log.isLevelEnabled('debug')
  app.addHook('onResponse', async (request, reply) => {
    const { method, id, url, routeOptions } = request
    const route = routeOptions.config.name ?? routeOptions.url ?? '/*'
    metrics.observe(route, method, reply.statusCode, reply.elapsedTime)
    // A query may carry a token.
    if (logsRequests)
      log.debug({ requestId: id, method, url: hideSecrets(url), status: reply.statusCode, ms: reply.elapsedTime })
  })
}

async function health(
  server: FastifyInstance,
  { services, metrics }: { services: Services; metrics: Metrics },
): Promise<void> {
  addCommonHeaders(server)
  server.get('/healthz', async () => ({ status: 'ok' }))
  // These are never queued; concurrent requests share one check.
  let looking: ReturnType<Services['readiness']> | undefined
  const look = () => {
    looking ??= services.readiness().finally(() => {
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
