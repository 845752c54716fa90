/** Presents releases and their files. */
import type { Repository } from '../../../forge/access/repository.ts'
import type { Asset, Release } from '../../../forge/releases/release.ts'
import { encodePath, placesOf } from '../git/present-git.ts'
import { presentReactions } from '../issues/present-issue.ts'
import { presentUser } from '../people/present-people.ts'
import { formatTime, nodeId, type View } from '../view.ts'

export function presentAsset(repository: Repository, tag: string, asset: Asset, view: View) {
  const { url, html } = placesOf(repository, view)
  return {
    url: `${url}/releases/assets/${asset.id}`,
    id: asset.id,
    node_id: nodeId('ReleaseAsset', asset.id),
    name: asset.name,
    label: asset.label ?? '',
    uploader: presentUser(asset.uploader, view),
    content_type: asset.contentType,
    state: 'uploaded',
    size: asset.size,
    digest: `sha256:${asset.hash}`,
    download_count: asset.downloadCount,
    created_at: formatTime(asset.createdAt),
    updated_at: formatTime(asset.updatedAt),
    browser_download_url: `${html}/releases/download/${encodeURIComponent(tag)}/${encodeURIComponent(asset.name)}`,
  }
}

export function presentRelease(repository: Repository, release: Release, view: View) {
  const { url, html } = placesOf(repository, view)
  const own = `${url}/releases/${release.id}`
  const tag = encodePath(release.tag)
  return {
    url: own,
    assets_url: `${own}/assets`,
    upload_url: `${own}/assets{?name,label}`,
    html_url: `${html}/releases/tag/${tag}`,
    id: release.id,
    author: presentUser(release.author, view),
    node_id: nodeId('Release', release.id),
    tag_name: release.tag,
    target_commitish: release.target,
    name: release.name,
    draft: release.isDraft,
    immutable: false,
    prerelease: release.isPrerelease,
    created_at: formatTime(release.createdAt),
    updated_at: formatTime(release.updatedAt),
    published_at: release.publishedAt && formatTime(release.publishedAt),
    assets: release.assets.map((asset) => presentAsset(repository, release.tag, asset, view)),
    tarball_url: release.isDraft ? null : `${url}/tarball/refs/tags/${tag}`,
    zipball_url: release.isDraft ? null : `${url}/zipball/refs/tags/${tag}`,
    body: release.body,
    reactions: presentReactions(release.reactions, `${own}/reactions`),
  }
}
