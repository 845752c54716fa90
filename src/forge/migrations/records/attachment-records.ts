/** Records of attachments: uploaded files, with the first text that shows each. */
import { formatTime, inArchive } from './addresses.ts'
import type { ExportContext, ExportedRepository } from './export-context.ts'
import { readRowsOf } from './keyed-pages.ts'
import { safeName } from './stored-files.ts'

export async function writeAttachments(context: ExportContext, repository: ExportedRepository): Promise<void> {
  const { db, addresses, people, files, mentions, stored } = context
  for await (const rows of readRowsOf(db, 'attachment', repository.id)) {
    await people.look(rows.map(({ uploader_id }) => uploader_id))
    for (const row of rows) {
      const path = `attachments/${row.uuid}/${safeName(row.name)}`
      await stored.add(row.blob_hash, path)
      const mention = mentions.find(row.uuid)
      await files.add({
        type: 'attachment',
        url: addresses.attachment(row.uuid, row.name),
        repository: addresses.repository(repository),
        ...(mention && { [mention.member]: mention.address }),
        user: people.address(row.uploader_id),
        asset_name: row.name,
        asset_content_type: row.content_type,
        asset_url: inArchive(path),
        created_at: formatTime(row.created_at),
      })
    }
  }
}
