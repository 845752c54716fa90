/** The basic transfer of Git LFS: objects are uploaded and downloaded unchanged, and verified after an upload. */
import type { Readable } from 'node:stream'
import { notFound } from '../../../forge/failures.ts'
import { isOid } from '../../../forge/lfs/lfs-object.ts'
import type { LfsObjects } from '../../../forge/lfs/lfs-objects.ts'
import { payAsItComes } from '../../../http/streamed-bodies.ts'
import { demand, Failure } from '../../../lib/failure.ts'
import { readRange } from '../../byte-range.ts'
import type { GitAccess } from '../git-access.ts'
import { readObject } from './lfs-bodies.ts'
import type { LfsAnswer, LfsCall, LfsRequest } from './lfs-route.ts'

type Needs = { objects: LfsObjects; access: GitAccess<LfsRequest> }

export function makeTransfers({ objects, access }: Needs) {
  return {
    async upload({ request, holdFile }: LfsCall): Promise<LfsAnswer> {
      const { oid, size } = request.params
      if (!isOid(oid) || !/^\d{1,15}$/.test(size)) throw notFound()
      const { 'content-length': length } = request.headers
      const isSaid = length === undefined || Number(length) === Number(size)
      const entered = await access.enter(request)
      demand(isSaid, 'invalid', 'other-content', `The object was announced with ${size} bytes.`)
      const body = payAsItComes(request.body as Readable | undefined, holdFile())
      await objects.receive(entered, { oid, size: Number(size) }, body, () => access.enter(request))
      return { status: 200 }
    },

    async download({ request }: LfsCall): Promise<LfsAnswer> {
      const { repository } = await access.open(request)
      const object = await objects.get(repository, request.params.oid)
      const { range: asked, 'if-range': ifRange, 'if-none-match': known } = request.headers
      const etag = `"${object.oid}"`
      const headers = { etag, 'accept-ranges': 'bytes' }
      if (known?.includes(etag)) return { status: 304, headers }
      const range = readRange(asked, ifRange as string | undefined, { etag, length: object.size })
      if (range === 'unsatisfiable') {
        const body = { message: 'The object has no such range.', request_id: request.id }
        return { status: 416, headers: { ...headers, 'content-range': `bytes */${object.size}` }, body }
      }
      const part = range && { 'content-range': `bytes ${range.start}-${range.end}/${object.size}` }
      const length = range ? range.end - range.start + 1 : object.size
      const type = { 'content-type': 'application/octet-stream', 'content-disposition': 'attachment' }
      return {
        status: range ? 206 : 200,
        headers: { ...headers, ...part, ...type, 'content-length': length },
        // An empty file has no first byte for a range.
        ...(request.method !== 'HEAD' && length > 0 && { content: objects.read(object, range) }),
      }
    },

    async verify(call: LfsCall): Promise<LfsAnswer> {
      const { request } = call
      await access.enter(request)
      const { oid, size } = await readObject(call)
      const { repository } = await access.enter(request)
      const object = (await objects.list(repository, [oid])).get(oid)
      if (!object || object.isLost) throw notFound()
      if (object.size !== size) throw new Failure('invalid', 'other-content', `The object has ${object.size} bytes.`)
      return { status: 200, body: { oid, size } }
    },
  }
}
