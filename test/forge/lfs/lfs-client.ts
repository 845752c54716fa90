/** A small client of Git LFS's published protocol, for what a real one never does. */
import { createHash } from 'node:crypto'
import type { RestClient } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'

export const mediaType = 'application/vnd.git-lfs+json'

export type LfsObject = { readonly oid: string; readonly size: number; readonly bytes: Buffer }

export function makeObject(content: string | Buffer): LfsObject {
  const bytes = Buffer.from(content)
  return { oid: createHash('sha256').update(bytes).digest('hex'), size: bytes.length, bytes }
}

export type LfsClient = ReturnType<typeof makeLfsClient>

export function makeLfsClient(url: string, fullName: string, by?: Pick<RestClient, 'token'>) {
  const base = `${url}/${fullName}.git/info/lfs`
  const authorization = by && { authorization: `Basic ${Buffer.from(`git:${by.token}`).toString('base64')}` }

  async function ask(method: string, address: string, body?: unknown, headers: Record<string, string> = {}) {
    const response = await fetch(address.startsWith('http') ? address : base + address, {
      method,
      headers: { accept: mediaType, 'content-type': mediaType, ...authorization, ...headers },
      ...(body !== undefined && {
        body: body instanceof Buffer ? new Uint8Array(body) : typeof body === 'string' ? body : JSON.stringify(body),
      }),
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    const isJson = response.headers.get('content-type')?.includes('json')
    const json: Json = isJson ? JSON.parse(bytes.toString()) : undefined
    return { status: response.status, headers: response.headers, bytes, body: json }
  }

  const batch = (operation: 'upload' | 'download', objects: readonly object[], more: object = {}) => {
    const asked = objects.map((one) => ({ ...one, bytes: undefined }))
    return ask('POST', '/objects/batch', { operation, transfers: ['basic'], objects: asked, ...more })
  }

  const put = ({ oid, size, bytes }: LfsObject) => ask('PUT', `/objects/${oid}/${size}`, bytes)

  return {
    ask,
    batch,
    put,

    /** As a client does it: asks, sends, has it verified. Answers the first status that is not 200. */
    async upload(object: LfsObject): Promise<number> {
      const { oid, size, bytes } = object
      const planned = await batch('upload', [{ oid, size }])
      if (planned.status !== 200) return planned.status
      const [{ actions, error }] = planned.body.objects
      if (error) return error.code
      if (!actions) return 200
      const sent = await ask('PUT', actions.upload.href, bytes, { 'content-type': 'application/octet-stream' })
      if (sent.status !== 200) return sent.status
      return (await ask('POST', actions.verify.href, { oid, size })).status
    },

    async download({ oid, size }: Pick<LfsObject, 'oid' | 'size'>, headers: Record<string, string> = {}) {
      const planned = await batch('download', [{ oid, size }])
      const [{ actions, error }] = planned.body.objects ?? [{}]
      if (!actions)
        return { status: (error?.code ?? planned.status) as number, bytes: Buffer.alloc(0), headers: planned.headers }
      return ask('GET', actions.download.href, undefined, headers)
    },
  }
}
