/** The batch request of Git LFS: tells how to upload or download each object. */

import type { OpenRepository } from '../../../forge/access/repository.ts'
import type { FileLimits } from '../../../forge/files/file-limits.ts'
import { hashAlgorithm, isOid } from '../../../forge/lfs/lfs-object.ts'
import type { LfsObjects } from '../../../forge/lfs/lfs-objects.ts'
import { describeMost, type KnownObject } from '../../../forge/lfs/lfs-objects.ts'
import { demand, Failure } from '../../../lib/failure.ts'
import type { GitAccess } from '../git-access.ts'
import { type AskedObject, readBatch } from './lfs-bodies.ts'
import type { LfsAnswer, LfsCall, LfsRequest } from './lfs-route.ts'

type Needs = { objects: LfsObjects; fileLimits: FileLimits; access: GitAccess<LfsRequest> }

export function makeBatch({ objects, fileLimits, access }: Needs): (call: LfsCall) => Promise<LfsAnswer> {
  /** Undefined if the id and size are valid. */
  function findFault({ oid, size }: AskedObject, known: KnownObject | undefined): Failure | undefined {
    if (!isOid(oid)) return invalid('oid is a SHA-256, in 64 small hexadecimal digits.')
    if (!Number.isSafeInteger(size) || size < 0) return invalid('size is a whole number of bytes.')
    if (known && known.size !== size) return invalid(`The object has ${known.size} bytes.`)
    return undefined
  }

  function planUpload(asked: AskedObject, known: KnownObject | undefined, base: string) {
    const fault = findFault(asked, known)
    if (fault) return refused(422, fault)
    if (asked.size > objects.maxBytes) return refused(422, invalid(describeMost(fileLimits.lfsMib)))
    // Without actions the client treats it as uploaded.
    if (known && !known.isLost) return {}
    return {
      actions: { upload: { href: `${base}/objects/${asked.oid}/${asked.size}` }, verify: { href: `${base}/verify` } },
    }
  }

  function planDownload(asked: AskedObject, known: KnownObject | undefined, base: string) {
    const fault = findFault(asked, known)
    if (fault) return refused(422, fault)
    if (!known) return refused(404, new Failure('not-found', 'not-found', 'The repository has no such object.'))
    if (known.isLost) return refused(410, new Failure('not-found', 'gone', 'The server has lost this object.'))
    return { actions: { download: { href: `${base}/objects/${asked.oid}` } } }
  }

  return async (call) => {
    const { request, origin } = call
    // Checks access before the body is read.
    await access.open(request)
    const { operation, transfers, objects: asked, hash_algo: hash = hashAlgorithm } = await readBatch(call)
    const most = fileLimits.lfsBatch
    demand(asked.length <= most, 'invalid', 'too-large', `A batch can have at most ${most} objects: send several.`)
    demand(hash === hashAlgorithm, 'conflict', 'hash-algorithm', `Objects are named by ${hashAlgorithm} here.`)
    const isBasic = !transfers || transfers.length === 0 || transfers.includes('basic')
    demand(isBasic, 'invalid', 'transfer', 'Objects are transferred by `basic` here.')
    const isUpload = operation === 'upload'
    const entered = isUpload ? await access.enter(request) : undefined
    const repository = entered?.repository ?? (await access.open(request)).repository
    const oids = [...new Set(asked.map(({ oid }) => oid).filter(isOid))]
    const known = await (isUpload ? objects.list(repository, oids) : objects.listReadable(repository, oids))
    const base = `${origin}${lfsPath(repository)}`
    const plan = isUpload ? planUpload : planDownload
    const planned = asked.map(({ oid, size }) => ({ oid, size, ...plan({ oid, size }, known.get(oid), base) }))
    if (entered) await objects.demandSpace(entered, sumOf(planned.filter((one) => 'actions' in one)))
    return { status: 200, body: { transfer: 'basic', objects: planned, hash_algo: hashAlgorithm } }
  }
}

const lfsPath = ({ owner, name }: OpenRepository): string => `/${owner.login}/${name}.git/info/lfs`

/** The same object may be requested twice, but is transferred once. */
const sumOf = (objects: readonly AskedObject[]): number =>
  [...new Map(objects.map(({ oid, size }) => [oid, size])).values()].reduce((sum, size) => sum + size, 0)

const invalid = (message: string) => new Failure('invalid', 'bad-object', message)

const refused = (code: number, { message }: Failure) => ({ error: { code, message } })
