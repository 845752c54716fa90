/** Serves clone, fetch and push over HTTP, streamed both ways between the client and a git process. */
import { pipeline, type Readable, Transform, type Writable } from 'node:stream'
import type { KeptCredential } from '../../../accounts/kept-credential.ts'
import { demand, Failure } from '../../../lib/failure.ts'
import type { Log } from '../../../lib/log.ts'
import { makeFairScheduler } from '../../../lib/scheduling/fair-scheduler.ts'
import type { PushAccess } from '../../access/opening.ts'
import type { Repository } from '../../access/repository.ts'
import { notFound } from '../../failures.ts'
import type { Arrival, StorageQuota } from '../../storage/storage-quota.ts'
import { foreseeRefs } from '../folders/ref-folders.ts'
import { makePackInspector } from '../pack/pack-inspector.ts'
import type { Git } from '../process/git.ts'
import { type GitLimits, packBounds, pushBounds, slotsFor, transferBounds } from '../process/git-limits.ts'
import { findFailure, startGit } from '../process/process.ts'
import { currentCaller } from '../process/processor-accounting.ts'
import type { Ending } from '../process/spawner/spawner.ts'
import { demandHook, hooksFolder } from '../push/linear-hook.ts'
import { explain, listHidden } from '../push/push-refusals.ts'
import { makePushReport, type PushReport, readBands, reportRefusal, wantsReport } from '../push/push-report.ts'
import { type PushRequest, readPushRequest } from '../push/push-request.ts'
import { type CheckPush, isSameDecision, keepDefault } from '../push/push-rules.ts'
import type { Pushes } from '../push/pushes.ts'
import { zeroId } from '../ref-name.ts'
import { makeOutputPace, type OutputPace, watchClient } from './client-pace.ts'
import { filterRefused, makeFilterCheck } from './fetch-filter.ts'
import { makeFetchTurns } from './fetch-turns.ts'
import { flushPacket, writePacket } from './pkt-line.ts'
import { connectProcess } from './process-connection.ts'
import { makeRequestBody, type RequestBody } from './request-body.ts'

export type GitService = 'upload-pack' | 'receive-pack'

export type Exchange = {
  readonly protocol: string | undefined
  readonly input: Readable
  /** Whether the request is so long that the client does not state its length. */
  readonly isLong: boolean
  /** The client keeps its side open while it reads, as over SSH: only git knows where its request ends. */
  readonly isDuplex?: boolean
  /** Begins the answer: a failure before this call can still become a status. */
  respond(): Writable
  /** Whether the answer's first bytes are sent: a failure can no longer become a status. */
  isAnswering(): boolean
  /** Discards the rest of the input. */
  releaseInput(): void
  readonly signal: AbortSignal
}

/**
 * A client may take any time to send its request, and may lose its rights meanwhile. So access is checked again for
 * each batch, after it has arrived and before git gets it.
 */
export type FetchExchange = Exchange & { openAgain(): Promise<Repository> }
export type PushExchange = Exchange & {
  enterAgain(): Promise<PushAccess>
  /** In place of the actor's, if others wrote what is pushed. */
  readonly credential?: KeptCredential
}

/** The state of an exchange while it has its turn. */
type Turn = { readonly body: RequestBody; readonly pace: OutputPace; readonly signal: AbortSignal }
/** `isPacking`: whether the client has nothing to send now; `speaksFirst`: whether the client begins. */
type Manners = { readonly isPacking?: () => boolean; readonly speaksFirst?: boolean }

type Needs = {
  git: Pick<Git, 'prepare' | 'read'>
  pushes: Pick<Pushes, 'record' | 'settleArrived'>
  checkPush: CheckPush
  /** Counts incoming bytes, and refuses those that exceed the quota. */
  receiveStorage: StorageQuota['receive']
  limits: GitLimits
  maxPushBytes: number
  log: Log
}

export type Serving = ReturnType<typeof makeServing>

/** Packing keeps a core busy; waiting for a slow client does not. */
const servedPerCore = 16
/** Files and archives cost less: the data is at hand, and most of the time is spent waiting for the client. */
const flowsPerCore = 64
/** A fetch request is a list of names. */
const maxWantBytes = 64 * 1024 * 1024
/** Over an open channel there are several such lists, one after the other. */
const maxTalkBytes = 4 * maxWantBytes
/** How much beyond the limit of a push is discarded, so that the client gets to read why it is refused. */
const maxIgnoredBytes = 64 * 1024 * 1024

/** A pack that unfolds to more is kept as a pack: loose, its objects could take a thousand times its size. */
const maxLooseBytes = 8 * 1024 * 1024

/** How much is gathered between checks of access: a smaller request is complete before git starts. */
const batchBytes = 256 * 1024
/** For a client whose end nothing marks: after this much silence, pass on what has arrived. */
const quietMs = 100

const mib = 1024 * 1024
/** The most that all requests together may read before they have a slot; beyond it a request is read in its slot. */
const maxAheadBytes = 128 * mib
/** A tar header, and the padding of a block. */
const tarOverheadBytes = 1024

const uploadConfig = { 'uploadpack.allowFilter': 'true', 'uploadpack.allowReachableSHA1InWant': 'true' }

export function makeServing({ git, pushes, checkPush, limits, receiveStorage, maxPushBytes, log }: Needs) {
  const { run: takeTurn } = makeFairScheduler(slotsFor(limits, servedPerCore))
  const { run: takeFlowTurn } = makeFairScheduler(slotsFor(limits, flowsPerCore))
  const bounds = transferBounds(limits)
  /** A push of a mebibyte needs little time: one that takes long was crafted to. */
  const shortBounds = pushBounds(limits)
  const inspector = makePackInspector(packBounds(limits))
  /** Includes what an archive needs besides its files. */
  const maxArchiveBytes = limits.archiveMib * mib + limits.archiveFiles * tarOverheadBytes

  const receiveConfig = (
    forbidsForce: boolean,
    refused: readonly string[] = [],
    keepsPack = false,
    linear: ReadonlySet<string> = new Set(),
  ) => ({
    'receive.maxInputSize': String(maxPushBytes),
    'receive.denyDeleteCurrent': 'refuse',
    'receive.advertisePushOptions': 'true',
    // Only the server writes refs/pull.
    'receive.hideRefs': ['refs/pull', ...refused],
    // Git knows this rule only for all branches: it is on if the push moves any branch that must keep its commits.
    'receive.denyNonFastForwards': String(forbidsForce),
    // Keep a long push as one pack: otherwise git packs each object again, now and for every clone (triple the work).
    ...(keepsPack && { 'receive.unpackLimit': '1' }),
    ...(linear.size > 0 && { 'core.hooksPath': hooksFolder, 'guildhall.linear': [...linear] }),
  })

  function note({ code, complaint }: { code: number; complaint: string }): void {
    if (code !== 0) log.debug({ code, complaint }, 'git ended with a complaint')
  }

  let aheadBytes = 0

  /** Reads the first part before there is a slot, so that a client that has yet to send its request holds none. */
  async function readAhead(body: RequestBody, { isDuplex }: Exchange): Promise<void> {
    const first = await body.next(batchBytes, isDuplex ? quietMs : undefined)
    if (first) body.putBack(first)
  }

  /** Runs an exchange in a turn, which ends early if its client blocks git and another waits for the slot. */
  async function exchangeInTurn(
    exchange: Exchange,
    maxBytes: number,
    act: (turn: Turn) => Promise<void>,
    { isPacking = () => false, speaksFirst = true }: Manners = {},
  ): Promise<void> {
    const cut = new AbortController()
    const signal = AbortSignal.any([exchange.signal, cut.signal])
    const body = makeRequestBody(exchange.input, maxBytes, signal)
    const pace = makeOutputPace()
    const watched = {
      isWaiting: () => (body.isWaiting && !isPacking()) || pace.isWaiting,
      moved: () => body.taken + pace.moved,
    }
    let ahead = aheadBytes + batchBytes > maxAheadBytes ? 0 : batchBytes
    aheadBytes += ahead
    const giveBack = () => {
      aheadBytes -= ahead
      ahead = 0
    }
    try {
      if (ahead > 0 && speaksFirst) await readAhead(body, exchange)
      await takeTurn(currentCaller(), async (slot) => {
        giveBack()
        const stopWatching = watchClient(slot, limits.stallSeconds, watched, (why) => cut.abort(why))
        try {
          await act({ body, pace, signal })
        } finally {
          stopWatching()
        }
      })
    } finally {
      giveBack()
    }
  }

  /**
   * Streams git's output. If git fails, the stream breaks off, so that half an answer never looks whole. The slot is
   * held until all is read, or the reader is gone.
   */
  function flow(repository: Repository, words: readonly string[], maxBytes: number): Promise<Readable> {
    return new Promise((resolve, reject) => {
      takeFlowTurn(currentCaller(), async (slot) => {
        const folder = await git.prepare(repository)
        const child = await startGit(words, { folder, bounds, hasInput: false })
        const checked = limitFlow(words, child.ended, maxBytes)
        checked.on('error', (error) =>
          log.warn({ err: error, repository: repository.id }, 'an answer of git broke off'),
        )
        pipeline(child.stdout, checked, () => child.end('SIGTERM'))
        resolve(checked)
        const watched = { isWaiting: () => checked.readableLength > 0, moved: () => child.stdout.bytesRead }
        const stopWatching = watchClient(slot, limits.stallSeconds, watched, (why) => checked.destroy(why))
        await child.ended.finally(stopWatching)
      }).catch(reject)
    })
  }

  return {
    /** The advertised refs, the first step of every exchange. `isBare`: without the header that HTTP needs. */
    async advertise(
      repository: Repository,
      service: GitService,
      protocol: string | undefined,
      isBare = false,
    ): Promise<Buffer> {
      const config = service === 'upload-pack' ? uploadConfig : receiveConfig(false)
      const words = [service, '--stateless-rpc', '--advertise-refs', '.']
      const refs = await git.read(repository, words, { config, protocol })
      if (service === 'receive-pack') await pushes.settleArrived(repository)
      const isNewest = protocol?.split(':').includes('version=2') && service === 'upload-pack'
      const opening = isNewest || isBare ? [] : [writePacket(`# service=git-${service}\n`), flushPacket]
      return Buffer.concat([...opening, refs])
    },

    /** Streams a commit's files as one archive, without history. */
    archive: (repository: Repository, sha: string, format: 'tar' | 'zip', prefix: string): Promise<Readable> =>
      flow(repository, ['archive', `--format=${format}`, `--prefix=${prefix}/`, sha], maxArchiveBytes),

    /** Streams a file of any size. */
    file: (repository: Repository, sha: string): Promise<Readable> =>
      flow(repository, ['cat-file', 'blob', sha], Number.POSITIVE_INFINITY),

    /** Clone and fetch. Over an open channel git begins, and both sides talk until the client has what it wants. */
    upload(repository: Repository, exchange: FetchExchange): Promise<void> {
      const { protocol, respond, openAgain, isDuplex = false } = exchange
      const turns = makeFetchTurns()
      const converseInTurn = async ({ body, pace, signal }: Turn) => {
        const demandFilter = makeFilterCheck()
        const decide = async (batch: Buffer) => {
          demandSame(repository, await openAgain())
          demandFilter(batch)
          if (isDuplex) turns.hear(batch)
        }
        try {
          const first = isDuplex ? undefined : ((await body.next(batchBytes)) ?? Buffer.alloc(0))
          await decide(first ?? Buffer.alloc(0))
          const folder = await git.prepare(repository)
          const options = { folder, config: uploadConfig, protocol, bounds, hasInput: true }
          const words = ['upload-pack', ...(isDuplex ? ['--strict'] : ['--stateless-rpc']), '.']
          const child = await startGit(words, options)
          if (isDuplex) child.stdout.on('data', turns.say)
          const output = respond()
          const input = decideEach(first, body, decide, isDuplex ? 1 : batchBytes)
          note(await connectProcess({ child, input, output, pace, signal, isDuplex }))
          output.end()
        } catch (error) {
          tellFetchRefusal(exchange, error)
        }
      }
      const manners = isDuplex ? { isPacking: () => turns.isPacking, speaksFirst: false } : {}
      return exchangeInTurn(exchange, isDuplex ? maxTalkBytes : maxWantBytes, converseInTurn, manners)
    },

    /** Push. Git's report is recorded before the client gets it. */
    receive(access: PushAccess, exchange: PushExchange): Promise<void> {
      const { protocol, respond, enterAgain, isDuplex = false } = exchange
      const quiet = isDuplex ? quietMs : undefined
      return exchangeInTurn(exchange, maxPushBytes + maxIgnoredBytes, async ({ body, pace, signal }) => {
        const request = await readPushRequest(body)
        const { changes, capabilities, head } = request
        // A client that is unsure of its credentials first sends only a flush.
        if (changes.length === 0) return void respond().end()
        body.putBack(head)
        const first = (await body.next(batchBytes, quiet)) ?? Buffer.alloc(0)
        const isWhole = isDuplex ? body.isAtEnd : first.length < batchBytes
        const isLong = isDuplex ? !isWhole : exchange.isLong
        const entered = await enterAgain()
        const { repository } = entered
        demandSame(access.repository, repository)
        const check = async (now: PushAccess) => keepDefault(now.repository, changes, await checkPush(now, changes))
        const verdict = await check(entered)
        if (verdict.linear.size > 0) await demandHook()
        const hidden = listHidden(changes, verdict.refused)
        const decide = async () => {
          const again = await enterAgain()
          demandSame(repository, again.repository)
          demand(isSameDecision(verdict, await check(again)), 'conflict', 'rules-changed', rulesChanged)
        }
        const folder = await git.prepare(repository)
        const explainHere = (ref: string, reason: string) => explain(repository, verdict, ref, reason)
        const report = makePushReport(readBands(capabilities), explainHere)
        let answer: { output: Writable; held: Buffer } | undefined
        const receive = async (keepsPack: boolean) => {
          const config = receiveConfig(verdict.keeping.size > 0, hidden, keepsPack, verdict.linear)
          const ownBounds = isLong && !isWhole ? bounds : shortBounds
          const options = { folder, config, protocol, bounds: ownBounds, hasInput: true }
          const child = await startGit(['receive-pack', '--stateless-rpc', '.'], options)
          const output = respond()
          const batches = decideEach(first, body, decideAndInspect, batchBytes, quiet)
          // If this throws, the client is gone or refused; only git's refs tell whether git was done before that.
          const filter = asFilter(report)
          note(
            await connectProcess({ child, input: batches, output, pace, filter, signal, endsByItself: true, isDuplex }),
          )
          const { held, moved } = report.finish()
          answer = { output, held }
          return wantsReport(capabilities) ? moved : 'look'
        }
        const pack = inspector.begin()
        const brings = changes.some(({ after }) => after !== zeroId)
        let arrival: Arrival | undefined
        const decideAndInspect = async (batch: Buffer) => {
          await decide()
          await arrival?.add(batch.length)
          await pack.take(batch, false)
        }
        try {
          const refBytes = foreseeRefs(changes)
          if (brings) arrival = await receiveStorage(repository)
          await arrival?.add(first.length + refBytes)
          await pack.take(first.subarray(request.packAt), isWhole)
          const keepsPack = isLong || pack.unfoldedBytes > maxLooseBytes
          const { credential } = exchange
          await pushes.record(entered, changes, () => receive(keepsPack), { options: request.options, credential })
        } catch (error) {
          tellRefusal(exchange, request, error)
        } finally {
          pack.close()
          arrival?.end()
        }
        answer?.output.end(answer.held)
      })
    },
  }
}

/** The batches of a request. `first` was checked before git was started. */
async function* decideEach(
  first: Buffer | undefined,
  body: RequestBody,
  decide: (batch: Buffer) => Promise<void>,
  atLeast = batchBytes,
  quiet?: number,
): AsyncGenerator<Buffer> {
  if (first) yield first
  for (let batch = await body.next(atLeast, quiet); batch; batch = await body.next(atLeast, quiet)) {
    await decide(batch)
    yield batch
  }
}

/** Another repository may have taken the name meanwhile. */
function demandSame(before: Repository, now: Repository): void {
  if (now.id !== before.id) throw notFound()
}

/**
 * Reports a failure in git's protocol if the answer has begun or the pack is refused. Otherwise, or if nobody reads,
 * rethrows it for the interface.
 */
function tellRefusal(
  { isAnswering, respond, signal, releaseInput }: PushExchange,
  request: PushRequest,
  error: unknown,
): void {
  if (!(error instanceof Failure) || signal.aborted) throw error
  if (!isAnswering() && !toldByGit.has(error.code)) throw error
  const output = respond()
  const told = output.writableNeedDrain ? undefined : reportRefusal(request, error.message)
  if (!told) throw error
  output.end(told)
  releaseInput()
}

/** Reports it as git reports a refused fetch. */
function tellFetchRefusal({ isAnswering, respond, signal, releaseInput }: FetchExchange, error: unknown): void {
  const isReported = error instanceof Failure && error.code === filterRefused && !signal.aborted && !isAnswering()
  if (!isReported) throw error
  respond().end(writePacket(`ERR ${error.message}\n`))
  releaseInput()
}

/** Failures that go into git's report even if git has not begun. */
const toldByGit: ReadonlySet<string> = new Set(['pack-refused', 'quota', 'too-many-folders'])

const rulesChanged = 'The rules of the repository were changed while the push came: push again.'

const asFilter = (report: PushReport): Transform =>
  new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        done(null, report.take(chunk))
      } catch (error) {
        done(error as Error)
      }
    },
  })

/** Passes git's output on, up to `maxBytes`, and ends cleanly only if git does. */
function limitFlow(words: readonly string[], ended: Promise<Ending>, maxBytes: number): Transform {
  let passed = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      passed += chunk.length
      if (passed > maxBytes) done(new Error(`git ${words[0]} said more than ${maxBytes} bytes`))
      else done(null, chunk)
    },
    flush(done) {
      ended.then(({ code, signal }) => {
        if (code === 0) return done()
        const failure = findFailure(code, signal, '')
        done(failure ?? new Error(`git ${words[0]} ended with ${code ?? signal}`))
      }, done)
    },
  })
}
