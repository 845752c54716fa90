/** Routes of release files: uploaded and downloaded unchanged. */
import type { OpenRepository } from '../../../forge/access/repository.ts'
import { dispositionOf, readFileName } from '../../../forge/files/file-name.ts'
import type { Assets } from '../../../forge/releases/assets.ts'
import type { Asset } from '../../../forge/releases/release.ts'
import type { Releases } from '../../../forge/releases/releases.ts'
import { changed, readable } from '../doors.ts'
import { serveFile } from '../file-answer.ts'
import { done } from '../outcomes.ts'
import { readId } from '../query.ts'
import { created, list, ok, type RestAnswer } from '../rest-answer.ts'
import { type ForgeCall, fileRoute, type Route, route, usualPage } from '../route.ts'
import { Optional, Shape, Text } from '../schemas.ts'
import { presentAsset } from './present-release.ts'

const read = { door: readable, permission: 'contents=read' } as const
const write = { door: changed('write'), permission: 'contents=write', resource: 'ReleaseAsset' } as const

const present = async (releases: Releases, { view }: ForgeCall, repository: OpenRepository, asset: Asset) =>
  presentAsset(repository, (await releases.get(repository, asset.releaseId)).tag, asset, view)

const wantsBytes = (accept: string): boolean => /\boctet-stream\b/.test(accept)

/** Always downloaded, never displayed: an uploaded file must not pass for a page of this server. */
const serve = (assets: Assets, call: ForgeCall, asset: Asset): RestAnswer =>
  serveFile(call, {
    ...asset,
    type: 'application/octet-stream',
    headers: { 'content-disposition': dispositionOf('attachment', asset.name) },
    open: (part) => assets.download(asset, part),
  })

export const assetRoutes = ({ assets, releases }: { assets: Assets; releases: Releases }): readonly Route[] => [
  route('GET /repos/:owner/:repo/releases/:release_id/assets', {
    ...read,
    id: 'list-release-assets',
    summary: 'Files of a release.',
    pageSize: usualPage,
    async handle({ target, params, page, view }) {
      const release = await releases.get(target, readId(params.release_id))
      const found = await assets.list(target, release.id, page)
      return list(found, (asset) => presentAsset(target, release.tag, asset, view))
    },
  }),
  fileRoute('POST /repos/:owner/:repo/releases/:release_id/assets', {
    ...write,
    id: 'upload-a-release-asset',
    summary: 'Adds the body to a release, as it is, as the file `name`.',
    createsContent: true,
    fileMib: ({ assetMib }) => assetMib,
    async handle(call) {
      const { target, params, query, body } = call
      const draft = { name: readFileName(query.text('name')), label: query.text('label')?.slice(0, 255) ?? null }
      const asset = await assets.add(target, readId(params.release_id), draft, body)
      const shown = await present(releases, call, target.repository, asset)
      return created(shown, shown.url)
    },
  }),
  route('GET /repos/:owner/:repo/releases/assets/:asset_id', {
    ...read,
    id: 'get-a-release-asset',
    summary: 'Shows a file of a release, or with `Accept: application/octet-stream` its bytes.',
    isLive: wantsBytes,
    async handle(call) {
      const { target, params, accept } = call
      const asset = await assets.get(target, readId(params.asset_id))
      if (wantsBytes(accept)) return serve(assets, call, asset)
      return ok(await present(releases, call, target, asset))
    },
  }),
  route('PATCH /repos/:owner/:repo/releases/assets/:asset_id', {
    ...write,
    id: 'update-a-release-asset',
    summary: 'Changes the name or label of a file of a release.',
    body: Shape({ name: Optional(Text(255, 1)), label: Optional(Text(255)), state: Optional(Text(50)) }),
    async handle(call) {
      const { target, params, body } = call
      const name = body.name === undefined ? undefined : readFileName(body.name)
      const asset = await assets.update(target, readId(params.asset_id), { name, label: body.label })
      return ok(await present(releases, call, target.repository, asset))
    },
  }),
  route('DELETE /repos/:owner/:repo/releases/assets/:asset_id', {
    ...write,
    id: 'delete-a-release-asset',
    summary: 'Deletes a file of a release.',
    handle: ({ target, params }) => done(assets.remove(target, readId(params.asset_id))),
  }),
  route('GET /:owner/:repo/releases/download/:tag/:name', {
    ...read,
    id: 'download-a-release-asset',
    summary: 'Downloads a file of a release, at the address for browsers.',
    isLive: true,
    async handle(call) {
      const { target, params } = call
      return serve(assets, call, await assets.getByName(target, params.tag, params.name))
    },
  }),
]
