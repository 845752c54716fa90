/** Serving git itself: what clone, fetch and push speak over HTTP, streamed both ways between the client and a git process. */

import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { PassThrough, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Actor } from '../../accounts/actor.ts'
import { requireSignIn } from '../../accounts/actor.ts'
import type { Log } from '../../base/log.ts'
import type { OpenRepository, Repository } from '../repositories/repository.ts'
import { makeGate } from './gate.ts'
import type { Git } from './git.ts'
import { flushPacket, writePacket } from './pkt-line.ts'
import { asMissing, spawnGit } from './process.ts'
import { makePushReport } from './push-report.ts'
import { readPushRequest } from './push-request.ts'
import type { Pushes } from './pushes.ts'
import { zeroId } from './ref-name.ts'

export type GitService = 'upload-pack' | 'receive-pack'

export type Exchange = { readonly protocol: string | undefined; readonly signal: AbortSignal }

type Needs = { git: Git; pushes: Pushes; maxPushBytes: number; log: Log }

export type Serving = ReturnType<typeof makeServing>

/** Packing is work for a core; waiting for a slow client is not. */
const servedPerCore = 16

const uploadConfig = {
  'uploadpack.allowFilter': 'true',
  'uploadpack.allowReachableSHA1InWant': 'true',
  'uploadpack.hideRefs': 'refs/hidden',
}

export function makeServing({ git, pushes, maxPushBytes, log }: Needs) {
  const gate = makeGate(availableParallelism() * servedPerCore)

  const receiveConfig = (repository: Repository, updatesDefault: boolean) => ({
    'receive.maxInputSize': String(maxPushBytes),
    'receive.denyDeleteCurrent': 'refuse',
    'receive.advertisePushOptions': 'false',
    // refs/pull is written by the server alone.
    'receive.hideRefs': 'refs/pull',
    // git knows this rule for all branches or none: it is on for a push that moves the default branch.
    'receive.denyNonFastForwards': String(updatesDefault),
    'receive.denyCurrentBranch': 'ignore',
    'core.logAllRefUpdates': 'false',
    'user.name': repository.owner.login,
  })

  /** Runs git between the two streams; ends it when the client goes away. Answers its exit code. */
  async function converse(
    child: ChildProcessWithoutNullStreams,
    input: Readable,
    { signal }: Exchange,
    take: (chunk: Buffer) => Promise<void>,
  ): Promise<number> {
    const stop = () => child.kill('SIGTERM')
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    let complaint = ''
    child.stderr.on('data', (chunk: Buffer) => {
      if (complaint.length < 2_000) complaint += chunk.toString()
    })
    const ended = once(child, 'close').catch((error) => {
      throw asMissing(error)
    })
    // git stops reading when it has seen enough to refuse: the rest of the pack is let go by, or the client would never
    // come to read why.
    const fed = pipeline(input, child.stdin).catch(() => drain(input, signal))
    try {
      for await (const chunk of child.stdout) await take(chunk)
      const [code] = await ended
      await fed
      if (code !== 0 && complaint) log.debug({ complaint }, 'git ended with a complaint')
      return code ?? 1
    } finally {
      signal.removeEventListener('abort', stop)
      child.kill('SIGTERM')
    }
  }

  return {
    /** The refs, as the first step of every exchange. */
    async advertise(repository: Repository, service: GitService, protocol: string | undefined): Promise<Buffer> {
      const folder = await git.prepare(repository)
      const config = service === 'upload-pack' ? uploadConfig : receiveConfig(repository, false)
      const child = spawnGit([service, '--stateless-rpc', '--advertise-refs', '.'], { folder, config, protocol })
      child.stdin.end()
      child.stderr.resume()
      const chunks: Buffer[] = []
      child.on('error', (error) => child.stdout.destroy(asMissing(error)))
      for await (const chunk of child.stdout) chunks.push(chunk)
      const isNewest = protocol?.split(':').includes('version=2') && service === 'upload-pack'
      const opening = isNewest ? [] : [writePacket(`# service=git-${service}\n`), flushPacket]
      return Buffer.concat([...opening, ...chunks])
    },

    /** Clone and fetch. */
    upload(repository: Repository, input: Readable, exchange: Exchange): Readable {
      const output = new PassThrough()
      void gate(async () => {
        const folder = await git.prepare(repository)
        const { protocol } = exchange
        const child = spawnGit(['upload-pack', '--stateless-rpc', '.'], { folder, config: uploadConfig, protocol })
        await converse(child, input, exchange, (chunk) => write(output, chunk))
        output.end()
      }).catch((error) => output.destroy(error))
      return output
    },

    /** Push. What git says it did is written down before the client hears of it. */
    receive(actor: Actor, repository: OpenRepository, input: Readable, exchange: Exchange): Readable {
      requireSignIn(actor)
      const output = new PassThrough()
      void gate(async () => {
        const { changes, capabilities, head } = await readPushRequest(input)
        // A client that is not sure of its credentials asks first, with nothing but a flush.
        if (changes.length === 0) return void output.end()
        const push = await pushes.begin(actor, repository, changes)
        const folder = await git.prepare(repository)
        const isDefault = ({ ref }: { ref: string }) => ref === `refs/heads/${repository.defaultBranch}`
        const updatesDefault = changes.some(
          (change) => isDefault(change) && change.before !== zeroId && change.after !== zeroId,
        )
        const config = receiveConfig(repository, updatesDefault)
        const child = spawnGit(['receive-pack', '--stateless-rpc', '.'], {
          folder,
          config,
          protocol: exchange.protocol,
        })
        child.stdin.write(head)
        const report = makePushReport(capabilities.has('side-band-64k') || capabilities.has('side-band'))
        await converse(child, input, exchange, (chunk) => write(output, report.take(chunk)))
        const { held, moved } = report.finish()
        await pushes.finish(
          push,
          capabilities.has('report-status') || capabilities.has('report-status-v2') ? moved : 'look',
        )
        output.end(held)
      }).catch((error) => output.destroy(error))
      return output
    },
  }
}

async function write(output: PassThrough, chunk: Buffer): Promise<void> {
  if (chunk.length === 0 || output.write(chunk) || output.destroyed) return
  await Promise.race([once(output, 'drain'), once(output, 'close')])
}

async function drain(input: Readable, signal: AbortSignal): Promise<void> {
  if (input.destroyed || input.readableEnded || signal.aborted) return
  input.resume()
  await Promise.race([once(input, 'end'), once(input, 'close')]).catch(() => {})
}
