/** Reading releases: a page of them with their authors, files and reactions in a fixed number of queries. */
import type { Selectable } from 'kysely'
import type { ReleaseAssetTable, ReleaseTable } from '../../store/schema/commits.ts'
import type { Db } from '../../store/schema/schema.ts'
import { readReactionCounts } from '../issues/issue-reading.ts'
import { readPeople } from '../people/reading.ts'
import type { Person } from '../person.ts'
import type { Asset, Release } from './release.ts'

export type ReleaseRow = Selectable<ReleaseTable>
type AssetRow = Selectable<ReleaseAssetTable>

/** In the order of the rows. */
export async function completeReleases(db: Db, rows: readonly ReleaseRow[]): Promise<Release[]> {
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const assets = await db.selectFrom('release_asset').selectAll().where('release_id', 'in', ids).orderBy('id').execute()
  const people = await readPeople(db, [
    ...rows.map(({ author_id }) => author_id),
    ...assets.map(({ uploader_id }) => uploader_id),
  ])
  const reactions = await readReactionCounts(db, 'release', ids)
  const byRelease = Map.groupBy(assets, ({ release_id }) => release_id)
  return rows.map((row) => ({
    id: row.id,
    author: people.get(row.author_id)!,
    tag: row.tag,
    target: row.target,
    name: row.name,
    body: row.body,
    isDraft: row.is_draft === 1,
    isPrerelease: row.is_prerelease === 1,
    assets: (byRelease.get(row.id) ?? []).map((asset) => toAsset(asset, people.get(asset.uploader_id)!)),
    reactions: reactions.get(row.id) ?? {},
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
    publishedAt: row.published_at === null ? null : new Date(row.published_at),
  }))
}

export const toAsset = (row: AssetRow, uploader: Person): Asset => ({
  id: row.id,
  releaseId: row.release_id,
  uploader,
  name: row.name,
  label: row.label,
  contentType: row.content_type,
  hash: row.blob_hash,
  size: row.size,
  downloadCount: row.download_count,
  createdAt: new Date(row.created_at),
  updatedAt: new Date(row.updated_at),
})
