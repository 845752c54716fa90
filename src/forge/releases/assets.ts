/** The files of a release. Users who may write upload them; everyone who sees the release may download them. */
import type { Readable } from 'node:stream'
import type { Clock } from '../../lib/clock.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import type { Db } from '../../store/schema/schema.ts'
import { isUniqueViolation, type Store } from '../../store/store.ts'
import { reaches } from '../access/level.ts'
import type { Access } from '../access/opening.ts'
import type { OpenRepository } from '../access/repository.ts'
import { invalidField, notFound } from '../failures.ts'
import type { FileLimits } from '../files/file-limits.ts'
import type { StoredFiles, UploadedFile } from '../files/stored-files.ts'
import { countRows, readPage } from '../row-pages.ts'
import { type StorageQuota, storageLock } from '../storage/storage-quota.ts'
import type { Asset } from './release.ts'
import { selectAssets, toAsset } from './release-reading.ts'

type Needs = {
  store: Store
  clock: Clock
  files: StoredFiles
  limits: FileLimits
  storage: Pick<StorageQuota, 'demandSpaceFor'>
}

export type Assets = ReturnType<typeof makeAssets>

export function makeAssets({ store, clock, files, limits, storage }: Needs) {
  const { db } = store

  const select = (on: Db, repository: OpenRepository) => {
    const all = selectAssets(on)
      .innerJoin('release', 'release.id', 'release_asset.release_id')
      .where('release.repository_id', '=', repository.id)
    return reaches(repository.level, 'write') ? all : all.where('release.is_draft', '=', 0)
  }

  async function find(query: ReturnType<typeof select>): Promise<Asset> {
    const row = await query.limit(1).executeTakeFirst()
    if (!row) throw notFound()
    return toAsset(row)
  }

  const get = (repository: OpenRepository, id: number, on = db): Promise<Asset> =>
    find(select(on, repository).where('release_asset.id', '=', id))

  async function demandRelease(on: Db, { repository }: Access<'write'>, id: number): Promise<void> {
    const row = await on
      .selectFrom('release')
      .select('id')
      .where('id', '=', id)
      .where('repository_id', '=', repository.id)
      .executeTakeFirst()
    if (!row) throw notFound()
  }

  return {
    get,

    list(repository: OpenRepository, releaseId: number, page: PageRequest): Promise<Page<Asset>> {
      const query = select(db, repository).where('release_asset.release_id', '=', releaseId)
      return readPage(query.orderBy('release_asset.id'), page, toAsset)
    },

    /** By its public address: only in a published release. */
    getByName: (repository: OpenRepository, tag: string, name: string): Promise<Asset> =>
      find(
        select(db, repository)
          .where('release.tag', '=', tag)
          .where('release.is_draft', '=', 0)
          .where('release_asset.name', '=', name),
      ),

    add: (
      access: Access<'write'>,
      releaseId: number,
      { name, label }: { readonly name: string; readonly label: string | null },
      file: UploadedFile,
    ): Promise<Asset> =>
      files
        .write(
          file,
          async (trx) => {
            await demandRelease(trx, access, releaseId)
            const count = await countRows(trx.selectFrom('release_asset').where('release_id', '=', releaseId))
            if (count >= limits.assetsPerRelease)
              throw invalidField('name', 'custom', `A release can have at most ${limits.assetsPerRelease} files.`)
            await storage.demandSpaceFor(access.repository.owner.id, file.size, trx)
            const now = clock.now()
            const { id } = await trx
              .insertInto('release_asset')
              .values({
                release_id: releaseId,
                uploader_id: access.actor.account.id,
                name,
                label,
                content_type: file.contentType,
                blob_hash: file.hash,
                size: file.size,
                download_count: 0,
                created_at: now,
                updated_at: now,
              })
              .returning('id')
              .executeTakeFirstOrThrow()
            return get(access.repository, id, trx)
          },
          [`release:${releaseId}`, storageLock(access.repository.owner.id)],
        )
        .catch(refuseTaken),

    update: (
      { repository }: Access<'write'>,
      id: number,
      change: { readonly name?: string | undefined; readonly label?: string | undefined },
    ): Promise<Asset> =>
      store
        .write(async (trx) => {
          await get(repository, id, trx)
          await trx
            .updateTable('release_asset')
            .set({ updated_at: clock.now(), ...omitUndefined(change) })
            .where('id', '=', id)
            .execute()
          return get(repository, id, trx)
        })
        .catch(refuseTaken),

    async remove({ repository }: Access<'write'>, id: number): Promise<void> {
      await store.write(async (trx) => {
        await get(repository, id, trx)
        await trx.deleteFrom('release_asset').where('id', '=', id).execute()
      })
    },

    /** Counted when a download starts: continuing a broken one is not counted again. */
    async download(asset: Asset, range?: { start: number; end: number }): Promise<Readable | Buffer> {
      if (!range || range.start === 0) {
        await store.write(
          (trx) =>
            trx
              .updateTable('release_asset')
              .set((eb) => ({ download_count: eb('download_count', '+', 1) }))
              .where('id', '=', asset.id)
              .execute(),
          { mayBeLost: true },
        )
      }
      return files.open(asset, range)
    },
  }
}

function refuseTaken(error: unknown): never {
  if (!isUniqueViolation(error)) throw error
  throw invalidField('name', 'already_exists', 'The release has a file of this name already.')
}
