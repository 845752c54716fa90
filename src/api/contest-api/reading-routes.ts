/** Read routes of the Contest API: objects, lists, access, files, the scoreboard, the feed. */
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '../../accounts/actor.ts'
import { describeFile } from '../../http/file-headers.ts'
import { onceClosed } from '../../http/once-closed.ts'
import { requireJudgeScope } from '../../judge/access.ts'
import type { Standing } from '../../judge/contest-access/contest-access.ts'
import { attachmentFolder } from '../../judge/contests/contest-reading.ts'
import type { Judge } from '../../judge/judge.ts'
import type { Clock } from '../../lib/clock.ts'
import { Failure } from '../../lib/failure.ts'
import { ZipFrame } from '../../lib/zip/zip-frame.ts'
import { type Endpoint, type FeedType, feedTypes, listCapabilities, listEndpoints } from './access.ts'
import { nameAudience } from './audience.ts'
import { type FeedReader, type Feeds, readToken, unknownToken } from './feed.ts'
import { keepKnown, type Seen } from './feed-events.ts'
import { makeFeedTokens } from './feed-tokens.ts'
import { extensionOf } from './languages.ts'
import { type ContestObjects, type ContestView, isReadable, presentContest, presentState } from './objects.ts'
import { presentBoard } from './scoreboard.ts'

export type ApiRequest = {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly actor: Actor
  readonly steps: readonly string[]
}

type Needs = {
  readonly judge: Judge
  readonly clock: Clock
  readonly objects: ContestObjects
  readonly feeds: Feeds
  identify(request: FastifyRequest): Promise<Actor>
  readFeedSecret(): Promise<string>
  readonly ending: AbortSignal
}

const information = {
  version: '2026-01',
  version_url: 'https://ccs-specs.icpc.io/2026-01/contest_api',
  provider: { name: 'Guildhall' },
}

const mostContests = 100
const mostFeeds = 2_000
const mostFeedsOfOne = 20
const admitAgainMs = 60_000

const idName = /^(?!id$)(?:[a-z]+_)*id$/

export function makeReadingRoutes({ judge, clock, objects, feeds, identify, readFeedSecret, ending }: Needs) {
  const feedsOf = new Map<string, number>()
  let feedCount = 0

  const viewOf = (standing: Standing, actor: Actor, isStrict: boolean): ContestView => ({
    standing,
    accountId: actor.account?.id,
    isStrict,
    now: clock.now(),
  })

  const endpointsOf = ({ standing, accountId, isStrict }: ContestView) =>
    listEndpoints({ standing, isSignedIn: accountId !== undefined, isStrict })

  async function listContests(actor: Actor): Promise<object[]> {
    const found: object[] = []
    for (let offset = 0; ; offset += mostContests) {
      const { items, total } = await judge.contests.list(actor, { offset, limit: mostContests })
      for (const { contest } of items) found.push(presentContest(contest))
      if (offset + mostContests >= total) return found
    }
  }

  function enterFeed(actor: Actor, reply: FastifyReply): void {
    const who = actor.account ? `account ${actor.account.id}` : `address ${actor.address}`
    const own = feedsOf.get(who) ?? 0
    const hasSpace = feedCount < mostFeeds && own < mostFeedsOfOne
    if (!hasSpace) throw new Failure('limited', 'too-many-feeds', 'Too many feeds are open: close some first.')
    feedCount++
    feedsOf.set(who, own + 1)
    onceClosed(reply.raw, () => {
      feedCount--
      const left = feedsOf.get(who)! - 1
      if (left > 0) feedsOf.set(who, left)
      else feedsOf.delete(who)
    })
  }

  async function openFeed(
    { request, reply, actor, steps }: ApiRequest,
    view: ContestView,
    query: Query,
  ): Promise<Readable> {
    const { contest } = view.standing
    if (query.since_id !== undefined) throw unknownToken()
    const tokens = makeFeedTokens(await readFeedSecret(), contest)
    const since = query.since_token === undefined ? undefined : readToken(tokens, query.since_token)
    // Only a token from before the database was restored from a backup has a place in the future.
    if (since && since.sequence > contest.sequence) throw unknownToken()
    reply.header('content-type', 'application/x-ndjson')
    // A HEAD of the feed would never end.
    if (request.method === 'HEAD') return Readable.from([])
    enterFeed(actor, reply)
    const gone = new AbortController()
    onceClosed(reply.raw, () => gone.abort())
    let current = actor
    let admittedAt = performance.now()
    const { isStrict } = view
    const see = (now: ContestView): Seen => ({
      view: now,
      endpoints: endpointsOf(now),
      audience: nameAudience(current, now.standing, isStrict),
    })
    const reader: FeedReader = {
      name: `${actor.account?.id ?? 'anonymous'} ${isStrict}`,
      isAdmitted: () =>
        unlessRefused(false, async () => {
          if (performance.now() - admittedAt <= admitAgainMs) return true
          // The token may have been revoked meanwhile.
          current = await identify(request)
          if (current.account?.id !== actor.account?.id) return false
          if (current.account) requireJudgeScope(current)
          admittedAt = performance.now()
          return true
        }),
      look: () =>
        unlessRefused(undefined, async () =>
          see(viewOf(await judge.contestDoors.find(current, steps[1]!), current, isStrict)),
        ),
    }
    const { id: contestId, feedEpoch: epoch, sequence } = contest
    const start = { contestId, epoch, sequence, audience: see(view).audience, tokens, since }
    const signal = AbortSignal.any([gone.signal, ending])
    return Readable.from(feeds.stream(reader, start, signal), { objectMode: true, highWaterMark: 4 })
  }

  async function sendFiles({ reply }: ApiRequest, view: ContestView, id: string): Promise<Buffer | undefined> {
    const [found] = await judge.contestReading.readSubmissions(view.standing, [Number(id) || 0])
    if (!found?.isOwn) return undefined
    const source = await judge.contestReading.readSource(found.id)
    if (!source) return undefined
    const zip = new ZipFrame()
    const name = `${found.problemId}.${extensionOf(found.language)}`
    reply.headers({
      'content-type': 'application/zip',
      'content-disposition': `attachment; filename="${found.id}.zip"`,
    })
    return Buffer.concat([zip.add(name, source), zip.finish()])
  }

  async function sendStatement(
    { actor, reply }: ApiRequest,
    view: ContestView,
    id: string,
  ): Promise<string | undefined> {
    const [problem] = await judge.contestReading.readProblems(view.standing, id)
    if (!problem || !isReadable(view.standing, view.accountId, problem)) return undefined
    reply.header('content-type', 'text/html; charset=utf-8')
    return judge.statements.getOpened(actor, problem.uuid)
  }

  async function sendAttachment({ reply }: ApiRequest, view: ContestView, id: string, name: string): Promise<unknown> {
    const [problem] = await judge.contestReading.readProblems(view.standing, id)
    const isThere = problem && isReadable(view.standing, view.accountId, problem) && problem.attachments.includes(name)
    if (!isThere) return undefined
    const { file, read } = await judge.problemFiles.openOpened(problem.uuid, `${attachmentFolder}${name}`)
    reply.headers({ ...describeFile(file.path), 'content-length': file.bytes })
    reply.header('cross-origin-resource-policy', 'cross-origin')
    return read()
  }

  async function sendBoard({ reply, request, actor, steps }: ApiRequest, query: Query): Promise<unknown> {
    const reader = await judge.scoreboards.findReader(actor, steps[1]!)
    if (reader.contest.boardIsHidden && !reader.isJury) return undefined
    const shown = await judge.scoreboards.readFor(reader, { isPublic: false, groupId: query.group_id })
    const name = `contest-api ${shown.key}`
    const { bytes, etag } = shown.board.render(name, () => JSON.stringify(presentBoard(shown, clock.now())))
    reply.headers({ 'content-type': 'application/json; charset=utf-8', etag, 'cache-control': 'no-cache' })
    if (request.headers['if-none-match']?.includes(etag)) {
      reply.code(304)
      return ''
    }
    return bytes
  }

  return async (call: ApiRequest): Promise<unknown> => {
    const { request, reply, actor, steps } = call
    const query = request.query as Query
    const [root, contestId, name, id, part] = steps
    if (root === undefined) return information
    if (root !== 'contests') return undefined
    if (contestId === undefined) return listContests(actor)
    const isStrict = query.strict === '1'
    if (name === 'scoreboard' && steps.length === 3) return sendBoard(call, query)
    const standing = await judge.contestDoors.find(actor, contestId)
    const view = viewOf(standing, actor, isStrict)
    const endpoints = endpointsOf(view)
    if (name === undefined) return keepKnown(endpoints.get('contest')!, presentContest(standing.contest))
    if (name === 'access' && steps.length === 3)
      return {
        capabilities: listCapabilities(standing),
        endpoints: [...endpoints].map(([type, properties]) => ({ type, properties })),
      }
    if (name === 'account' && steps.length === 3) return presentOwnAccount(view, actor)
    if (!endpoints.has(name as Endpoint) || name === 'contest') return undefined
    if (steps.length === 3 && name === 'state') return presentState(standing.contest, view.now)
    if (steps.length === 3 && name === 'event-feed') return openFeed(call, view, query)
    if (!feedTypes.includes(name as FeedType) || name === 'state') return undefined
    const type = name as FeedType
    const known = endpoints.get(type)!
    if (id === undefined) {
      const all = await objects.list(view, type)
      reply.header('content-type', 'application/json; charset=utf-8')
      return all.filter(fits(query, known)).map((one) => keepKnown(known, one))
    }
    if (steps.length === 5 && type === 'submissions' && part === 'files') return sendFiles(call, view, id)
    if (steps.length === 5 && type === 'problems' && part === 'statement') return sendStatement(call, view, id)
    const isAttachment = steps.length === 6 && type === 'problems' && part === 'attachments'
    if (isAttachment) return sendAttachment(call, view, id, steps[5]!)
    if (steps.length !== 4) return undefined
    const ids = type === 'runs' ? [id.split('-')[0]!] : [id]
    const object = (await objects.list(view, type, ids)).find((one) => one.id === id)
    return object && keepKnown(known, object)
  }

  async function presentOwnAccount({ standing }: ContestView, { account }: Actor): Promise<object | undefined> {
    if (!account) return undefined
    const [own] =
      standing.teamId === null
        ? []
        : await judge.contestReading.readAccounts({ ...standing, isJury: false }, account.id)
    const { isJury, isStaff } = standing
    const type = account.role === 'admin' ? 'admin' : isJury ? 'judge' : isStaff ? 'staff' : own ? 'team' : undefined
    return {
      id: String(account.id),
      username: account.name,
      name: account.displayName,
      type: type ?? null,
      ...(own && { team_id: own.teamId }),
    }
  }
}

type Query = Readonly<Record<string, string | undefined>>

async function unlessRefused<T, R>(refused: R, act: () => Promise<T>): Promise<T | R> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof Failure) return refused
    throw error
  }
}

/** Filters on every property that is an ID; an empty text stands for null. */
const fits = (query: Query, known: readonly string[]) => {
  const wishes = known.filter((name) => idName.test(name) && query[name] !== undefined)
  return (object: Readonly<Record<string, unknown>>) =>
    wishes.every((name) => (query[name] === '' ? (object[name] ?? null) === null : object[name] === query[name]))
}
