/** Serves a migration's archive, whole or by range, to anyone with its signed address. */
import type { Migrations } from '../../../forge/migrations/migrations.ts'
import { serveFile } from '../file-answer.ts'
import type { RestAnswer } from '../rest-answer.ts'
import type { ForgeCall } from '../route.ts'

export async function sendArchive(
  migrations: Migrations,
  call: ForgeCall<unknown, unknown, { readonly guid: string }>,
): Promise<RestAnswer> {
  const { params, query } = call
  const signed = { expires: query.whole('expires', 0), signature: query.text('signature') ?? '' }
  const { hash, bytes, read } = await migrations.openArchive(params.guid, signed)
  const headers = { 'content-disposition': `attachment; filename=migration-${params.guid}.tar.gz` }
  return serveFile(call, { hash, size: bytes, type: 'application/gzip', headers, open: read })
}
