/**
 * One fetch from a source: what it sends becomes a push of whoever set it up, with the checks, limits and effects of any
 * other push.
 */
import { Readable, Writable } from 'node:stream'
import type { Account } from '../../accounts/actor.ts'
import { Failure } from '../../lib/failure.ts'
import type { Access } from '../access/opening.ts'
import type { OpenRepository, Repository } from '../access/repository.ts'
import type { Git } from '../git/process/git.ts'
import { onAccount } from '../git/process/processor-accounting.ts'
import type { Pushes } from '../git/push/pushes.ts'
import type { RefChange } from '../git/push/ref-change.ts'
import { zeroId } from '../git/ref-name.ts'
import { flushPacket } from '../git/serve/pkt-line.ts'
import type { Serving } from '../git/serve/serving.ts'
import type { Destinations } from '../outbound/destination.ts'
import { type FetchPlan, isTaken, planFetch, type Refs } from './fetch-plan.ts'
import { makeSource, type Source } from './protocol/source.ts'
import type { SourceAddress } from './protocol/source-request.ts'
import { emptyPack, readReport, spellCommands } from './push-text.ts'
import { isCancelled, refuseSource, sourceRefused } from './refusal.ts'
import type { SourceLimits } from './source-limits.ts'

export type Fetch = {
  readonly address: SourceAddress
  readonly requester: Account
  readonly isMirror: boolean
  readonly signal: AbortSignal
  /** Checks again whether the fetch may go on, and throws if not. */
  enter(): Promise<Access<'admin'>>
  received(bytes: number): void
}

export type Fetched = Pick<FetchPlan, 'branchCount' | 'tagCount' | 'skipped'>

type Needs = {
  git: Git
  serving: Pick<Serving, 'receive'>
  pushes: Pick<Pushes, 'settleArrived'>
  destinations: Destinations
  limits: SourceLimits
  setDefaultBranch: (access: Access<'admin'>, branch: string) => Promise<unknown>
}

/** Enough of what is here that the source finds what both have. */
const mostHaves = 1_000

export type Fetching = ReturnType<typeof makeFetching>

export function makeFetching({ git, serving, pushes, destinations, limits, setDefaultBranch }: Needs) {
  async function readLocal(repository: Repository): Promise<Refs> {
    const output = await git.read(repository, ['for-each-ref', '--format=%(objectname) %(refname)'])
    const lines = output.toString('utf8').split('\n').filter(Boolean)
    return new Map(lines.map((line) => [line.slice(41), line.slice(0, 40)] as const).filter(([ref]) => isTaken(ref)))
  }

  /** Only commits that the source's own refs lead to here: those of pull requests are not the source's business. */
  async function listHaves(repository: Repository, local: Refs): Promise<string[]> {
    if (local.size === 0) return []
    const words = ['rev-list', `--max-count=${mostHaves}`, '--branches', '--tags']
    const { code, output } = await git.run(repository, words)
    const recent = code === 0 ? output.toString('latin1').split('\n').filter(Boolean) : []
    return [...new Set([...[...local.values()].slice(0, mostHaves), ...recent])]
  }

  /** The pack is passed on as it arrives; the commands before it say what it is for. */
  async function* spellPush(changes: readonly RefChange[], pack: Readable | undefined, { received }: Fetch) {
    yield spellCommands(changes)
    yield flushPacket
    if (!pack) {
      if (changes.some(({ after }) => after !== zeroId)) yield emptyPack()
      return
    }
    let size = 0
    for await (const chunk of pack as AsyncIterable<Buffer>) {
      size += chunk.length
      received(size)
      yield chunk
    }
  }

  async function push(fetch: Fetch, changes: readonly RefChange[], pack: Readable | undefined): Promise<void> {
    if (changes.length === 0) return
    const said: Buffer[] = []
    const output = new Writable({
      write(chunk: Buffer, _encoding, done) {
        said.push(chunk)
        done()
      },
    })
    let isAnswering = false
    let fault: unknown
    const input = Readable.from(spellPush(changes, pack, fetch), { objectMode: false })
    // Streams that nobody reads any more tell their errors to nobody: without listeners that would be unhandled.
    input.on('error', () => {})
    pack?.on('error', (error) => {
      fault ??= error
    })
    try {
      await serving.receive(await fetch.enter(), {
        protocol: undefined,
        input,
        isLong: pack !== undefined,
        respond() {
          isAnswering = true
          return output
        },
        isAnswering: () => isAnswering,
        releaseInput: () => pack?.destroy(),
        signal: fetch.signal,
        enterAgain: fetch.enter,
        credential: { kind: 'source' },
      })
    } catch (error) {
      // The input broke off because of the source, whose own words are better.
      throw fault instanceof Failure ? fault : error
    } finally {
      input.destroy()
      pack?.destroy()
    }
    if (fault instanceof Failure) throw fault
    readReport(Buffer.concat(said))
  }

  async function run(fetch: Fetch): Promise<Fetched> {
    const { address, isMirror, signal } = fetch
    const { repository } = await fetch.enter()
    const source = makeSource(address, { destinations, limits, signal })
    const advertised = await source.readAdvertisement()
    // If the server of an earlier fetch died after git was done, only the refs show it.
    await pushes.settleArrived(repository)
    const local = await readLocal(repository)
    const { defaultBranch } = repository
    const plan = planFetch({ advertised, local, defaultBranch, isMirror, mostRefs: limits.refs })
    const pack = await openPack(source, plan, repository, local, advertised.capabilities)
    await push(fetch, plan.changes, pack)
    await followDefault(fetch, plan)
    await push(fetch, plan.lastChanges, undefined)
    return plan
  }

  async function openPack(
    source: Source,
    { wants }: FetchPlan,
    repository: OpenRepository,
    local: Refs,
    capabilities: ReadonlySet<string>,
  ): Promise<Readable | undefined> {
    if (wants.length === 0) return undefined
    return source.fetchPack({ wants, haves: await listHaves(repository, local) }, capabilities)
  }

  async function followDefault(fetch: Fetch, { defaultBranch }: FetchPlan): Promise<void> {
    const access = await fetch.enter()
    if (defaultBranch === undefined || access.repository.defaultBranch === defaultBranch) return
    await setDefaultBranch(access, defaultBranch)
  }

  return {
    run: (fetch: Fetch): Promise<Fetched> =>
      onAccount({ caller: `user:${fetch.requester.id}` }, () => run(fetch)).catch((error) => {
        throw explain(error)
      }),
  }
}

/** What a push would be refused for is refused here, in the words for whoever set up the fetch. */
function explain(error: unknown): unknown {
  if (!(error instanceof Failure) || error.kind === 'unavailable' || isCancelled(error)) return error
  if (error.code === sourceRefused) return error
  const { message, code } = error
  if (code === 'broken-off')
    return refuseSource('The source sends more than this server takes in one push (GUILDHALL_PUSH_LIMIT_MIB).')
  return refuseSource(`What the source sends can’t be taken: ${message.replace(/[.\s]*$/, '')}.`)
}
