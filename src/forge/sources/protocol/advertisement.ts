/**
 * Reads the refs that a source advertises, as git's protocol version 0 has them.
 * https://git-scm.com/docs/pack-protocol#_reference_discovery
 */
import { isUtf8 } from 'node:buffer'
import { makeSlices } from '../../../lib/scheduling/slices.ts'
import { isObjectId } from '../../git/ref-name.ts'
import { PacketFault, readPacket } from '../../git/serve/pkt-line.ts'
import { printable, refuseSource } from '../refusal.ts'

export type Advertisement = {
  /** Each ref's full name with its object id, in the source's order. */
  readonly refs: ReadonlyMap<string, string>
  /** The ref that HEAD points to, if the source tells. */
  readonly head: string | undefined
  readonly capabilities: ReadonlySet<string>
}

const service = '# service=git-upload-pack'

/** In slices: the list may have some hundred thousand lines. */
export async function readAdvertisement(bytes: Buffer): Promise<Advertisement> {
  const refs = new Map<string, string>()
  let capabilities: ReadonlySet<string> = new Set()
  let isFirst = true
  const slices = makeSlices()
  for (const line of readLines(bytes)) {
    if (slices.isDue(line.length)) await slices.pause()
    if (line.startsWith('ERR ')) throw refuseSource(`The source says: ${printable(line.slice(4))}`)
    if (line.startsWith('shallow '))
      throw refuseSource('The source is a shallow copy without its whole history: import from a complete one.')
    if (line === service || /^version \d/.test(line)) continue
    const [named = '', words] = line.split('\0', 2)
    if (isFirst) capabilities = new Set((words ?? '').split(' ').filter(Boolean))
    isFirst = false
    const [sha, ref] = [named.slice(0, 40), named.slice(41)]
    if (named[40] === ' ' && isObjectId(sha) && ref.startsWith('refs/') && !ref.endsWith('^{}')) refs.set(ref, sha)
  }
  demandCapabilities(capabilities)
  const [head] = [...capabilities].flatMap((word) => /^symref=HEAD:(.+)$/.exec(word)?.[1] ?? [])
  return { refs, head, capabilities }
}

function* readLines(bytes: Buffer): Generator<string> {
  let at = 0
  while (at < bytes.length) {
    const found = read(bytes, at)
    if (!found) throw notGit()
    at = found.end
    // A name that is not UTF-8 would be decoded to another one: it is left out.
    if (found.packet.kind === 'data' && isUtf8(found.packet.data))
      yield found.packet.data.toString('utf8').replace(/\n$/, '')
  }
}

function read(bytes: Buffer, at: number) {
  try {
    return readPacket(bytes, at)
  } catch (error) {
    throw error instanceof PacketFault ? notGit() : error
  }
}

function demandCapabilities(capabilities: ReadonlySet<string>): void {
  const format = [...capabilities].find((word) => word.startsWith('object-format='))
  if (format !== undefined && format !== 'object-format=sha1')
    throw refuseSource('The source names objects by SHA-256, which this server does not take.')
  if (capabilities.size > 0 && !capabilities.has('side-band-64k'))
    throw refuseSource('The source speaks an old version of git’s protocol: it needs git 1.6 or newer.')
}

export const notGit = () =>
  refuseSource(
    'There is no git server at this address: give the one that git clone takes, as in https://example.org/ann/hello.git.',
  )
