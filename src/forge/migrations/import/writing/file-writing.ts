/** Writes releases with their files, and attachments: rows that name blobs which exist already. */
import { attachment, release } from '../definitions/files.ts'
import { readRecords } from '../reading/record-reading.ts'
import { idsFor, insertReactions, insertRows, type WriteContext } from './write-context.ts'

export async function writeReleases(context: WriteContext): Promise<void> {
  const { trx, index, checked, files } = context
  for await (const placed of readRecords(checked.archive, release)) {
    const records = placed.map(({ record }) => record)
    const ids = await idsFor(context, 'release', records)
    await insertRows(
      trx,
      'release',
      records.map((record, at) => ({
        id: ids[at]!,
        repository_id: index.idOf(record.repository),
        author_id: index.idOf(record.author),
        tag: record.tag,
        target: record.target,
        name: record.name,
        body: context.rewriteOrNull(record.body),
        is_draft: Number(record.isDraft),
        is_prerelease: Number(record.isPrerelease),
        latest: record.latest,
        created_at: record.createdAt,
        updated_at: record.updatedAt,
        published_at: record.publishedAt,
      })),
    )
    await insertRows(
      trx,
      'release_asset',
      records.flatMap((record, at) =>
        record.assets.map((asset) => {
          const { hash, size } = files.get(asset.path)!
          return {
            release_id: ids[at]!,
            uploader_id: index.idOf(asset.uploader),
            name: asset.name,
            label: asset.label,
            content_type: asset.contentType,
            blob_hash: hash,
            size,
            download_count: asset.downloads,
            created_at: asset.createdAt,
            updated_at: asset.updatedAt,
          }
        }),
      ),
    )
    const reacted = records.map(({ repository, reactions }, at) => ({
      id: ids[at]!,
      repositoryId: index.idOf(repository),
      reactions,
    }))
    await insertReactions(context, 'release', reacted)
  }
}

export async function writeAttachments({ trx, index, checked, files, uuidOf }: WriteContext): Promise<void> {
  for await (const placed of readRecords(checked.archive, attachment))
    await insertRows(
      trx,
      'attachment',
      placed.map(({ record }) => {
        const { hash, size, contentType } = files.get(record.path)!
        return {
          uuid: uuidOf(record.uuid),
          repository_id: index.idOf(record.repository),
          uploader_id: index.idOf(record.uploader),
          name: record.name,
          content_type: contentType,
          blob_hash: hash,
          size,
          created_at: record.createdAt,
        }
      }),
    )
}
