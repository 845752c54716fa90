/** Serving git itself: what clone, fetch and push speak over HTTP, streamed both ways between the client and a git process. */
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { PassThrough, pipeline, type Readable, Transform, type Writable } from 'node:stream'
import { type Actor, requireSignIn } from '../../accounts/actor.ts'
import type { Log } from '../../base/log.ts'
import { makeSemaphore } from '../../base/semaphore.ts'
import type { OpenRepository, Repository } from '../access/repository.ts'
import type { RefChange } from '../activity.ts'
import { converse } from './conversation.ts'
import type { Git } from './git.ts'
import { flushPacket, writePacket } from './pkt-line.ts'
import { asMissing, spawnGit } from './process.ts'
import { explain, listRefused } from './push-refusals.ts'
import { makePushReport, type PushReport, readBands } from './push-report.ts'
import { readPushRequest } from './push-request.ts'
import type { Pushes } from './pushes.ts'
import { zeroId } from './ref-name.ts'

export type GitService = 'upload-pack' | 'receive-pack'

export type Exchange = {
  /** Whose it is, by account or address. */
  readonly caller: string
  readonly protocol: string | undefined
  readonly input: Readable
  /** Whether so much is sent that the client does not say beforehand how much. */
  readonly isLong: boolean
  /** Begins the answer: what fails before it is called can still be told by a status. */
  respond(): Writable
  readonly signal: AbortSignal
}

type Needs = { git: Git; pushes: Pushes; maxPushBytes: number; log: Log }

export type Serving = ReturnType<typeof makeServing>

/** Packing is work for a core; waiting for a slow client is not. */
const servedPerCore = 16
/** What is asked of a fetch is a list of names. */
const maxWantBytes = 64 * 1024 * 1024
/** So much more than the limit of a push is let go by, for the client to come to read why it is refused. */
const maxIgnoredBytes = 64 * 1024 * 1024

const uploadConfig = { 'uploadpack.allowFilter': 'true', 'uploadpack.allowReachableSHA1InWant': 'true' }

export function makeServing({ git, pushes, maxPushBytes, log }: Needs) {
  const width = availableParallelism() * servedPerCore
  const semaphore = makeSemaphore(width, width / 2)

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

  /** What a git says, while it says it. Half an answer must not look like a whole one: it breaks off where git fails. */
  async function flow(repository: Repository, words: readonly string[]): Promise<Readable> {
    const folder = await git.prepare(repository)
    const child = spawnGit(words, { folder })
    child.stdin.end()
    child.stderr.resume()
    const ended = once(child, 'close')
    ended.catch(() => {})
    const checked = new PassThrough({
      flush(done) {
        ended.then(([code]) => done(code === 0 ? null : new Error(`git ${words[0]} ended with ${code}`)), done)
      },
    })
    child.on('error', (error) => checked.destroy(asMissing(error, folder)))
    pipeline(child.stdout, checked, () => child.kill('SIGTERM'))
    return checked
  }

  return {
    /** The refs, as the first step of every exchange. */
    async advertise(repository: Repository, service: GitService, protocol: string | undefined): Promise<Buffer> {
      const config = service === 'upload-pack' ? uploadConfig : receiveConfig(false)
      const words = [service, '--stateless-rpc', '--advertise-refs', '.']
      const refs = await git.read(repository, words, { config, protocol })
      const isNewest = protocol?.split(':').includes('version=2') && service === 'upload-pack'
      const opening = isNewest ? [] : [writePacket(`# service=git-${service}\n`), flushPacket]
      return Buffer.concat([...opening, refs])
    },

    /** A commit's files as one, without history. */
    archive: (repository: Repository, sha: string, format: 'tar' | 'zip', prefix: string): Promise<Readable> =>
      flow(repository, ['archive', `--format=${format}`, `--prefix=${prefix}/`, sha]),

    /** A file of any size. */
    file: (repository: Repository, sha: string): Promise<Readable> => flow(repository, ['cat-file', 'blob', sha]),

    /** Clone and fetch. */
    upload: (repository: Repository, { caller, protocol, input, respond, signal }: Exchange): Promise<void> =>
      semaphore(async () => {
        const folder = await git.prepare(repository)
        const child = spawnGit(['upload-pack', '--stateless-rpc', '.'], { folder, config: uploadConfig, protocol })
        const output = respond()
        note(await converse({ child, input, output, signal, maxInputBytes: maxWantBytes }))
        output.end()
      }, caller),

    /** Push. What git says it did is written down before the client hears of it. */
    receive(actor: Actor, repository: OpenRepository, exchange: Exchange): Promise<void> {
      requireSignIn(actor)
      const { caller, protocol, input, isLong, respond, signal } = exchange
      return semaphore(async () => {
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
        await pushes.record(actor, repository, changes, async () => {
          const child = spawnGit(['receive-pack', '--stateless-rpc', '.'], { folder, config, protocol })
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
      }, caller)
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
