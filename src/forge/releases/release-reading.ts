/** Reads releases with author, files and reactions in one query; long texts afterwards. */
import { type Selectable, sql } from 'kysely'
import { jsonRows, readJson } from '../../store/json-rows.ts'
import { readLongTexts, shortText } from '../../store/long-texts.ts'
import type { ReleaseTable } from '../../store/schema/commit-tables.ts'
import type { Db } from '../../store/schema/schema.ts'
import { reactionsTo, readReactions } from '../issues/issue-reading.ts'
import { personBy, readPerson } from '../people/reading.ts'
import { toPerson } from '../person.ts'
import type { Asset, Release } from './release.ts'

/** Releases with their authors, files and reactions. Long texts are read when the rows are completed. */
export const selectReleases = (db: Db) =>
  db
    .selectFrom('release')
    .select([
      ...(['release.id', 'release.repository_id', 'release.author_id', 'release.tag', 'release.target'] as const),
      ...(['release.name', 'release.is_draft', 'release.is_prerelease', 'release.latest'] as const),
      ...(['release.created_at', 'release.updated_at', 'release.published_at'] as const),
    ])
    .select(shortText<string | null, 'body'>('release', 'body'))
    .select(personBy(db, 'release.author_id').as('author'))
    .select(reactionsTo(db, 'release', 'release.id').as('reactions'))
    .select(
      jsonRows(
        db,
        selectAssets(db)
          .where('release_asset.release_id', '=', sql.ref<number>('release.id'))
          .orderBy('release_asset.id'),
      ).as('assets'),
    )

/** The row alone. */
export type ReleaseRow = Selectable<ReleaseTable>
type WholeRow = Awaited<ReturnType<ReturnType<typeof selectReleases>['executeTakeFirstOrThrow']>>

/** Files with their uploaders. */
export const selectAssets = (db: Db) =>
  db
    .selectFrom('release_asset')
    .innerJoin('account as uploader', 'uploader.id', 'release_asset.uploader_id')
    .select(['release_asset.id', 'release_asset.release_id', 'release_asset.uploader_id', 'release_asset.name'])
    .select(['release_asset.label', 'release_asset.content_type', 'release_asset.blob_hash', 'release_asset.size'])
    .select(['release_asset.download_count', 'release_asset.created_at', 'release_asset.updated_at'])
    .select(['uploader.kind as uploader_kind', 'uploader.name as uploader_name', 'uploader.role as uploader_role'])

type AssetRow = Awaited<ReturnType<ReturnType<typeof selectAssets>['executeTakeFirstOrThrow']>>

/** Keeps the order of the rows. */
export async function completeReleases(db: Db, rows: readonly WholeRow[]): Promise<Release[]> {
  await readLongTexts(db, 'release', rows)
  return rows.map(toRelease)
}

export const toRelease = (row: WholeRow): Release => ({
  id: row.id,
  author: readPerson(row.author)!,
  tag: row.tag,
  target: row.target,
  name: row.name,
  body: row.body,
  isDraft: row.is_draft === 1,
  isPrerelease: row.is_prerelease === 1,
  assets: readJson(row.assets).map(toAsset),
  reactions: readReactions(row.reactions),
  createdAt: new Date(row.created_at),
  updatedAt: new Date(row.updated_at),
  publishedAt: row.published_at === null ? null : new Date(row.published_at),
})

export const toAsset = (row: AssetRow): Asset => ({
  id: row.id,
  releaseId: row.release_id,
  uploader: toPerson({
    id: row.uploader_id,
    kind: row.uploader_kind,
    name: row.uploader_name,
    role: row.uploader_role,
  }),
  name: row.name,
  label: row.label,
  contentType: row.content_type,
  hash: row.blob_hash,
  size: row.size,
  downloadCount: row.download_count,
  createdAt: new Date(row.created_at),
  updatedAt: new Date(row.updated_at),
})
