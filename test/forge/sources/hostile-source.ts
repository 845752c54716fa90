/** A source that answers as it is told: its refs, its pack, or something else altogether. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { deflateSync } from 'node:zlib'
import { flushPacket, writePacket } from '../../../src/forge/git/serve/pkt-line.ts'
import { makePack, objectId, type PackEntry } from '../crafted-packs.ts'

type Answer = (response: ServerResponse, request: IncomingMessage) => unknown

export type HostileSource = {
  readonly url: string
  readonly port: number
  /** Each request: its method, address and headers. */
  readonly requests: Pick<IncomingMessage, 'method' | 'url' | 'headers'>[]
  /** The most requests that were under way at once. */
  readonly most: () => number
  list: Answer
  pack: Answer
  close(): Promise<void>
}

const capabilities = 'side-band-64k ofs-delta thin-pack no-progress symref=HEAD:refs/heads/main agent=git/2.0'

export const listRefs =
  (refs: Readonly<Record<string, string>>, words = capabilities, rest: readonly Buffer[] = []): Answer =>
  (response) => {
    response.setHeader('content-type', 'application/x-git-upload-pack-advertisement')
    const lines = Object.entries(refs).map(([ref, sha], i) =>
      writePacket(`${sha} ${ref}${i === 0 ? `\0${words}` : ''}\n`),
    )
    const head = [writePacket('# service=git-upload-pack\n'), flushPacket]
    response.end(Buffer.concat([...head, ...lines, ...rest, flushPacket]))
  }

export const packType = { 'content-type': 'application/x-git-upload-pack-result' }
export const onBand = (band: number, bytes: Buffer): Buffer => writePacket(Buffer.concat([Buffer.from([band]), bytes]))

export function spellPack(pack: Buffer): Buffer {
  const parts: Buffer[] = [writePacket('NAK\n')]
  for (let at = 0; at < pack.length; at += 60_000) parts.push(onBand(1, pack.subarray(at, at + 60_000)))
  return Buffer.concat([...parts, flushPacket])
}

export const sendPack =
  (pack: Buffer): Answer =>
  (response) => {
    response.writeHead(200, packType).end(spellPack(pack))
  }

const who = 'Ann <ann@example.org> 1700000000 +0000'

/** A commit of a tree, and what else is to be sent with it. */
export function makeHistory(
  entries: readonly PackEntry[] = [],
  tree: Buffer = Buffer.alloc(0),
  message = 'one\n',
): { pack: Buffer; sha: string } {
  const commit = `tree ${objectId('tree', tree)}\nauthor ${who}\ncommitter ${who}\n\n${message}`
  const pack = makePack([{ type: 'commit', bytes: Buffer.from(commit) }, { type: 'tree', bytes: tree }, ...entries])
  return { pack, sha: objectId('commit', commit) }
}

export const treeEntry = (mode: string, name: string, sha: string): Buffer =>
  Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(sha, 'hex')])

/** An entry of a pack whose contents never end, as far as the receiver can tell. */
export function* endlessPack(): Generator<Buffer> {
  const head = Buffer.from('PACK\0\0\0\x02\0\xff\xff\xff', 'latin1')
  yield head
  for (let i = 0; ; i++) {
    const blob = Buffer.from(`blob ${i} ${'x'.repeat(1_000)}`)
    const size = Buffer.from([0x80 | (3 << 4) | (blob.length & 15), blob.length >> 4])
    yield Buffer.concat([size, deflateSync(blob, { level: 0 })])
  }
}

export async function startHostileSource(): Promise<HostileSource> {
  const requests: HostileSource['requests'] = []
  let open = 0
  let most = 0
  const server = createServer((request, response) => {
    const { method, url, headers } = request
    requests.push({ method, url, headers })
    most = Math.max(most, ++open)
    response.on('close', () => open--)
    request.resume()
    if (url?.includes('/info/refs')) source.list(response, request)
    else source.pack(response, request)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const history = makeHistory()
  const source: HostileSource = {
    url: `http://127.0.0.1:${port}/ann/tool.git`,
    port,
    requests,
    most: () => most,
    list: listRefs({ 'refs/heads/main': history.sha }),
    pack: sendPack(history.pack),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return source
}
