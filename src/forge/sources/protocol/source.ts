/**
 * A git server that is fetched from, over smart HTTP. This server asks itself, in one request for the refs and one for
 * the pack: no git process here ever opens a connection, so none follows a redirect, a proxy, a submodule, an alternate
 * or another address that a source names.
 */
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { flushPacket, writePacket } from '../../git/serve/pkt-line.ts'
import type { Destinations } from '../../outbound/destination.ts'
import { refuseSource } from '../refusal.ts'
import type { SourceLimits } from '../source-limits.ts'
import { type Advertisement, readAdvertisement } from './advertisement.ts'
import { readPack } from './pack-stream.ts'
import { askSource, type SourceAddress } from './source-request.ts'

export type Wanted = { readonly wants: readonly string[]; readonly haves: readonly string[] }

export type Source = {
  readAdvertisement(): Promise<Advertisement>
  /** The pack as it arrives; an error if the source is silent, slow or breaks off. */
  fetchPack(wanted: Wanted, capabilities: ReadonlySet<string>): Promise<Readable>
}

type Needs = { destinations: Destinations; limits: SourceLimits; signal: AbortSignal }

const mib = 1024 * 1024
/** A link of 8 kbit/s is kept. */
const leastBytesPerSecond = 1024
/** Until it has sent so much, a source may be counting its objects: it gets more time, and sends signs of life. */
const beginningBytes = 4096
const beginningFactor = 10

export function makeSource(address: SourceAddress, { destinations, limits, signal }: Needs): Source {
  const silentMs = limits.silentSeconds * 1000
  const bounds = { destinations, silentMs, signal }

  /** The time that the server itself takes to use a chunk does not count. */
  async function* readPaced(response: IncomingMessage): AsyncGenerator<Buffer> {
    let waitedMs = 0
    let bytes = 0
    let isBeginning = true
    const chunks = response[Symbol.asyncIterator]()
    try {
      for (;;) {
        const begun = performance.now()
        const { value, done } = await within(silentMs, chunks.next(), response)
        if (done) return
        waitedMs += performance.now() - begun
        bytes += value.length
        const isOver = isBeginning ? bytes > beginningBytes : waitedMs > silentMs
        const isLate = waitedMs > silentMs * (isBeginning ? beginningFactor : 1)
        if (isLate && bytes < (leastBytesPerSecond * waitedMs) / 1000) throw tooSlow()
        if (isOver) {
          isBeginning = false
          waitedMs = 0
          bytes = 0
        }
        yield value
      }
    } catch (error) {
      if (signal.aborted) throw signal.reason
      throw isBroken(error) ? refuseSource('The source broke off: try again later.') : error
    } finally {
      response.destroy()
    }
  }

  return {
    async readAdvertisement() {
      const path = '/info/refs?service=git-upload-pack'
      const response = await askSource(address, { path, type: 'application/x-git-upload-pack-advertisement' }, bounds)
      const parts: Buffer[] = []
      let size = 0
      for await (const part of readPaced(response)) {
        parts.push(part)
        size += part.length
        if (size > limits.listMib * mib)
          throw refuseSource(
            `The source lists more than ${limits.listMib} MiB of refs, which this server does not take.`,
          )
      }
      return readAdvertisement(Buffer.concat(parts))
    },

    async fetchPack(wanted, capabilities) {
      const question = {
        path: '/git-upload-pack',
        type: 'application/x-git-upload-pack-result',
        body: { type: 'application/x-git-upload-pack-request', bytes: spellRequest(wanted, capabilities) },
      }
      const response = await askSource(address, question, bounds)
      return Readable.from(readPack(readPaced(response)), { objectMode: false })
    },
  }
}

/** All in one request: it ends in `done`, so the source answers with the pack instead of asking for more. */
function spellRequest({ wants, haves }: Wanted, offered: ReadonlySet<string>): Buffer {
  const asked = ['side-band-64k', 'ofs-delta', 'no-progress', ...(haves.length > 0 ? ['thin-pack'] : [])]
  const words = [...asked.filter((word) => offered.has(word)), 'agent=guildhall'].join(' ')
  return Buffer.concat([
    ...wants.map((sha, i) => writePacket(`want ${sha}${i === 0 ? ` ${words}` : ''}\n`)),
    flushPacket,
    ...haves.map((sha) => writePacket(`have ${sha}\n`)),
    writePacket('done\n'),
  ])
}

async function within<T>(ms: number, promise: Promise<T>, response: IncomingMessage): Promise<T> {
  const timer = setTimeout(() => response.destroy(silent()), ms)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
  }
}

const silent = () => refuseSource('The source has stopped sending: try again later.')
const tooSlow = () => refuseSource('The source sends less than 1 KiB a second: try again when it is faster.')

/** Node's errors of a connection that ended early have a code. */
const isBroken = (error: unknown): boolean =>
  error instanceof Error && error.name !== 'Failure' && typeof (error as { code?: unknown }).code === 'string'
