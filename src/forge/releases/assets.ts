/** The files of a release: uploaded by those who may write, downloaded by those who see the release. */
import type { Readable } from 'node:stream'
import type { Clock } from '../../base/clock.ts'
import { omitUndefined } from '../../base/omit-undefined.ts'
import type { Page, PageRequest } from '../../base/page.ts'
import type { Db } from '../../store/schema/schema.ts'
import { isUniqueViolation, type Store } from '../../store/store.ts'
import { reaches } from '../access/level.ts'
import type { Access } from '../access/opening.ts'
import type { OpenRepository } from '../access/repository.ts'
import { invalidField, notFound } from '../failures.ts'
import type { FileLimits } from '../files/file-limits.ts'
import type { StoredFiles, UploadedFile } from '../files/stored-files.ts'
import { countRows } from '../pages.ts'
import { readPeople } from '../people/reading.ts'
import { type StorageQuota, storageLock } from '../storage/storage-quota.ts'
import type { Asset } from './release.ts'
import { toAsset } from './release-reading.ts'

type Needs = {
  store: Store
  clock: Clock
  files: StoredFiles
  limits: FileLimits
  storage: Pick<StorageQuota, 'demandRoomFor'>
}

export type Assets = ReturnType<typeof makeAssets>

export function makeAssets({ store, clock, files, limits, storage }: Needs) {
  const { db } = store

  const select = (on: Db, repository: OpenRepository) => {
    const all = on
      .selectFrom('release_asset')
      .innerJoin('release', 'release.id', 'release_asset.release_id')
      .selectAll('release_asset')
      .where('release.repository_id', '=', repository.id)
    return reaches(repository.level, 'write') ? all : all.where('release.is_draft', '=', 0)
  }

  type Row = Awaited<ReturnType<ReturnType<typeof select>['executeTakeFirstOrThrow']>>

  async function complete(on: Db, rows: readonly Row[]): Promise<Asset[]> {
    const people = await readPeople(
      on,
      rows.map(({ uploader_id }) => uploader_id),
    )
    return rows.map((row) => toAsset(row, people.get(row.uploader_id)!))
  }

  async function find(on: Db, query: ReturnType<typeof select>): Promise<Asset> {
    const [asset] = await complete(on, await query.limit(1).execute())
    if (!asset) throw notFound()
    return asset
  }

  const get = (repository: OpenRepository, id: number, on = db): Promise<Asset> =>
    find(on, select(on, repository).where('release_asset.id', '=', id))

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

    async list(repository: OpenRepository, releaseId: number, { offset, limit }: PageRequest): Promise<Page<Asset>> {
      const query = select(db, repository).where('release_asset.release_id', '=', releaseId)
      const rows = await query.orderBy('release_asset.id').offset(offset).limit(limit).execute()
      return { total: await countRows(query), items: await complete(db, rows) }
    },

    /** By the address that people have: of a release that is published. */
    getByName: (repository: OpenRepository, tag: string, name: string): Promise<Asset> =>
      find(
        db,
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
              throw invalidField('name', 'custom', `A release has ${limits.assetsPerRelease} files at most.`)
            await storage.demandRoomFor(access.repository.owner.id, file.size, trx)
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

    /** Counted from its start: who goes on with what broke off is not counted again. */
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
