/** Serving git itself: what clone, fetch and push speak over HTTP, streamed both ways between the client and a git process. */
import { once } from 'node:events'
import { pipeline, type Readable, Transform, type Writable } from 'node:stream'
import { makeFairSemaphore } from '../../base/fair-semaphore.ts'
import type { Log } from '../../base/log.ts'
import type { Access } from '../access/opening.ts'
import type { Repository } from '../access/repository.ts'
import { currentCaller } from './billing.ts'
import { converse } from './conversation.ts'
import type { Git } from './git.ts'
import { type GitLimits, slotsFor, transferBounds } from './git-limits.ts'
import { flushPacket, writePacket } from './pkt-line.ts'
import { asMissing, endGit, findFailure, spawnGit } from './process.ts'
import { explain, listRefused } from './push-refusals.ts'
import { makePushReport, type PushReport, readBands } from './push-report.ts'
import { readPushRequest } from './push-request.ts'
import type { Pushes } from './pushes.ts'
import type { RefChange } from './ref-change.ts'
import { zeroId } from './ref-name.ts'

export type GitService = 'upload-pack' | 'receive-pack'

export type Exchange = {
  readonly protocol: string | undefined
  readonly input: Readable
  /** Whether so much is sent that the client does not say beforehand how much. */
  readonly isLong: boolean
  /** Begins the answer: what fails before it is called can still be told by a status. */
  respond(): Writable
  readonly signal: AbortSignal
}

type Needs = { git: Git; pushes: Pushes; limits: GitLimits; maxPushBytes: number; log: Log }

export type Serving = ReturnType<typeof makeServing>

/** Packing is work for a core; waiting for a slow client is not. */
const servedPerCore = 16
/** Files and archives are less: what is asked for is at hand, and most of the time the client is waited for. */
const flowsPerCore = 64
/** What is asked of a fetch is a list of names. */
const maxWantBytes = 64 * 1024 * 1024
/** So much more than the limit of a push is let go by, for the client to come to read why it is refused. */
const maxIgnoredBytes = 64 * 1024 * 1024

const mib = 1024 * 1024
/** A header, and what fills a block. */
const tarOverheadBytes = 1024

const uploadConfig = { 'uploadpack.allowFilter': 'true', 'uploadpack.allowReachableSHA1InWant': 'true' }

export function makeServing({ git, pushes, limits, maxPushBytes, log }: Needs) {
  const takeTurn = makeFairSemaphore(slotsFor(limits, servedPerCore))
  const takeFlowTurn = makeFairSemaphore(slotsFor(limits, flowsPerCore))
  const bounds = transferBounds(limits)
  /** A push of a mebibyte has no reason to take long: what does is made to. */
  const shortBounds = { ...bounds, cpuSeconds: Math.min(limits.readSeconds, limits.transferSeconds) }
  /** With what an archive needs beside its files. */
  const maxArchiveBytes = limits.archiveMib * mib + limits.archiveFiles * tarOverheadBytes

  const receiveConfig = (forbidsForce: boolean, refused: readonly string[] = [], keepsPack = false) => ({
    'receive.maxInputSize': String(maxPushBytes),
    'receive.denyDeleteCurrent': 'refuse',
    // refs/pull is written by the server alone.
    'receive.hideRefs': ['refs/pull', ...refused],
    // git knows this rule for all branches or none: it is on for a push that moves the default branch.
    'receive.denyNonFastForwards': String(forbidsForce),
    // A long push stays the pack it came as: else git packs each object anew, now and for every clone (three times the work).
    ...(keepsPack && { 'receive.unpackLimit': '1' }),
  })

  function note({ code, complaint }: { code: number; complaint: string }): void {
    if (code !== 0) log.debug({ code, complaint }, 'git ended with a complaint')
  }

  /**
   * What a git says, while it says it. Half an answer must not look like a whole one: it breaks off where git fails. Git has
   * its turn until all is read, or nobody reads any more.
   */
  function flow(repository: Repository, words: readonly string[], maxBytes: number): Promise<Readable> {
    return new Promise((resolve, reject) => {
      takeFlowTurn(currentCaller(), async () => {
        const folder = await git.prepare(repository)
        const child = spawnGit(words, { folder, bounds })
        const ended = once(child, 'close')
        const checked = limitFlow(words, ended, maxBytes)
        child.stdin.end()
        child.stderr.resume()
        child.on('error', (error) => checked.destroy(asMissing(error, folder)))
        checked.on('error', (error) =>
          log.warn({ err: error, repository: repository.id }, 'an answer of git broke off'),
        )
        pipeline(child.stdout, checked, () => endGit(child, 'SIGTERM'))
        resolve(checked)
        await ended
      }).catch(reject)
    })
  }

  return {
    /** The refs, as the first step of every exchange. */
    async advertise(repository: Repository, service: GitService, protocol: string | undefined): Promise<Buffer> {
      const config = service === 'upload-pack' ? uploadConfig : receiveConfig(false)
      const words = [service, '--stateless-rpc', '--advertise-refs', '.']
      const refs = await git.read(repository, words, { config, protocol })
      if (service === 'receive-pack') await pushes.settleArrived(repository)
      const isNewest = protocol?.split(':').includes('version=2') && service === 'upload-pack'
      const opening = isNewest ? [] : [writePacket(`# service=git-${service}\n`), flushPacket]
      return Buffer.concat([...opening, refs])
    },

    /** A commit's files as one, without history. */
    archive: (repository: Repository, sha: string, format: 'tar' | 'zip', prefix: string): Promise<Readable> =>
      flow(repository, ['archive', `--format=${format}`, `--prefix=${prefix}/`, sha], maxArchiveBytes),

    /** A file of any size. */
    file: (repository: Repository, sha: string): Promise<Readable> =>
      flow(repository, ['cat-file', 'blob', sha], Number.POSITIVE_INFINITY),

    /** Clone and fetch. */
    upload: (repository: Repository, { protocol, input, respond, signal }: Exchange): Promise<void> =>
      takeTurn(currentCaller(), async () => {
        const folder = await git.prepare(repository)
        const options = { folder, config: uploadConfig, protocol, bounds }
        const child = spawnGit(['upload-pack', '--stateless-rpc', '.'], options)
        const output = respond()
        note(await converse({ child, input, output, signal, maxInputBytes: maxWantBytes }))
        output.end()
      }),

    /** Push. What git says it did is written down before the client hears of it. */
    receive(access: Access<'write'>, exchange: Exchange): Promise<void> {
      const { repository } = access
      const { protocol, input, isLong, respond, signal } = exchange
      return takeTurn(currentCaller(), async () => {
        const { changes, capabilities, head } = await readPushRequest(input)
        // A client that is not sure of its credentials asks first, with nothing but a flush.
        if (changes.length === 0) return void respond().end()
        const folder = await git.prepare(repository)
        const refused = listRefused(changes)
        const forbidsForce = !repository.options.allowForcePushes && movesDefault(repository, changes)
        const config = receiveConfig(forbidsForce, refused, isLong)
        const report = makePushReport(readBands(capabilities), (ref, reason) => explain(repository, ref, reason))
        const hasReport = capabilities.has('report-status') || capabilities.has('report-status-v2')
        let answer: { output: Writable; held: Buffer } | undefined
        await pushes.record(access, changes, async () => {
          const options = { folder, config, protocol, bounds: isLong ? bounds : shortBounds }
          const child = spawnGit(['receive-pack', '--stateless-rpc', '.'], options)
          child.stdin.write(head)
          const output = respond()
          const maxInputBytes = maxPushBytes + maxIgnoredBytes
          // Where it throws, the client is gone; whether git was done before that, only its refs tell.
          note(await converse({ child, input, output, filter: asFilter(report), signal, maxInputBytes }))
          const { held, moved } = report.finish()
          answer = { output, held }
          return hasReport ? moved : 'look'
        })
        answer?.output.end(answer.held)
      })
    },
  }
}

const movesDefault = (repository: Repository, changes: readonly RefChange[]): boolean =>
  changes.some(
    ({ ref, before, after }) =>
      ref === `refs/heads/${repository.defaultBranch}` && before !== zeroId && after !== zeroId,
  )

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

/** Passes on what git says, up to so much, and ends well only where git does. */
function limitFlow(words: readonly string[], ended: Promise<unknown[]>, maxBytes: number): Transform {
  let passed = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      passed += chunk.length
      if (passed > maxBytes) done(new Error(`git ${words[0]} said more than ${maxBytes} bytes`))
      else done(null, chunk)
    },
    flush(done) {
      ended.then(([code, signal]) => {
        if (code === 0) return done()
        const failure = findFailure(code as number | null, signal as NodeJS.Signals | null, '')
        done(failure ?? new Error(`git ${words[0]} ended with ${code ?? signal}`))
      }, done)
    },
  })
}
