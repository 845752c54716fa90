/** Records of releases, with the files that belong to them. */
import { formatTime, formatTimeOrNull, inArchive } from './addresses.ts'
import type { ExportContext, ExportedRepository } from './export-context.ts'
import { groupBy, readRowsOf } from './keyed-pages.ts'
import { readReactions } from './reaction-records.ts'
import { deriveUuid, safeName } from './stored-files.ts'

export async function writeReleases(context: ExportContext, repository: ExportedRepository): Promise<void> {
  const { db, addresses, people, files, stored } = context
  const page = addresses.repository(repository)
  for await (const rows of readRowsOf(db, 'release', repository.id)) {
    const ids = rows.map(({ id }) => id)
    const reactions = await readReactions(context, 'release', ids)
    const assets = await readAssets(context, ids)
    await people.look(rows.map(({ author_id }) => author_id))
    for (const row of rows) {
      // A draft's address is shown to nobody else, and several drafts may have the same tag.
      const url = row.is_draft === 1 ? `${page}/releases/untagged-${row.id}` : addresses.release(repository, row.tag)
      const listed: object[] = []
      for (const asset of assets(row.id)) {
        // Derived from the release's own name, so that it does not depend on the server's address.
        const own = [repository.owner, repository.name, url.slice(page.length), asset.name]
        const path = `releases/${deriveUuid(...own)}/${safeName(asset.name)}`
        await stored.add(asset.blob_hash, path)
        listed.push({
          user: people.address(asset.uploader_id),
          name: asset.name,
          label: asset.label,
          content_type: asset.content_type,
          size: asset.size,
          downloads: asset.download_count,
          asset_url: inArchive(path),
          created_at: formatTime(asset.created_at),
          updated_at: formatTime(asset.updated_at),
        })
      }
      await files.add({
        type: 'release',
        url,
        id: row.id,
        repository: page,
        user: people.address(row.author_id),
        name: row.name,
        tag_name: row.tag,
        body: row.body,
        state: row.is_draft === 1 ? 'draft' : 'published',
        prerelease: row.is_prerelease === 1,
        make_latest: row.latest,
        target_commitish: row.target,
        release_assets: listed,
        reactions: reactions(row.id),
        published_at: formatTimeOrNull(row.published_at),
        created_at: formatTime(row.created_at),
        updated_at: formatTime(row.updated_at),
      })
    }
  }
}

async function readAssets({ db, people }: ExportContext, ids: readonly number[]) {
  const rows = await db.selectFrom('release_asset').selectAll().where('release_id', 'in', ids).orderBy('id').execute()
  await people.look(rows.map(({ uploader_id }) => uploader_id))
  return groupBy(rows, ({ release_id }) => release_id)
}
