/** Attachments: files for issues and comments, under unguessable addresses, visible to readers of the repository. */
import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { Actor } from '../../accounts/actor.ts'
import type { Clock } from '../../lib/clock.ts'
import { Failure } from '../../lib/failure.ts'
import { isUuid } from '../../lib/ids.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import type { Access, Opening, RepositoryNeed } from '../access/opening.ts'
import { invalidField, notFound } from '../failures.ts'
import { type FileLimits, mib } from '../files/file-limits.ts'
import type { StoredFiles, UploadedFile } from '../files/stored-files.ts'
import { type StorageQuota, storageLock } from '../storage/storage-quota.ts'
import { chooseType } from './attachment-type.ts'

export type Attachment = {
  readonly uuid: string
  readonly name: string
  readonly contentType: string
  readonly hash: string
  readonly size: number
}

type Needs = {
  store: Store
  clock: Clock
  opening: Opening
  files: StoredFiles
  limits: FileLimits
  storage: Pick<StorageQuota, 'demandSpaceFor'>
}

export type Attachments = ReturnType<typeof makeAttachments>

export function makeAttachments({ store, clock, opening, files, limits, storage }: Needs) {
  async function demandSpace(
    trx: Db,
    column: 'uploader_id' | 'repository_id',
    id: number,
    size: number,
    mostMib: number,
  ): Promise<void> {
    const { total } = await trx
      .selectFrom('attachment')
      .select((eb) => eb.fn.sum<number | null>('size').as('total'))
      .where(column, '=', id)
      .executeTakeFirstOrThrow()
    if (Number(total ?? 0) + size <= mostMib * mib) return
    const whose = column === 'uploader_id' ? 'One’s own attachments' : 'The repository’s attachments'
    throw new Failure('forbidden', 'attachment-quota', `${whose} take ${mostMib} MiB at most, all together.`)
  }

  return {
    async add({ actor, repository }: Access<'read'>, name: string, file: UploadedFile): Promise<Attachment> {
      if (file.size === 0) throw invalidField('body', 'missing', 'The file is empty.')
      const contentType = chooseType(name, file.start)
      const userId = actor.account.id
      const attachment = { uuid: randomUUID(), name, contentType, hash: file.hash, size: file.size }
      await files.write(
        file,
        async (trx) => {
          await demandSpace(trx, 'uploader_id', userId, file.size, limits.attachmentMibPerUser)
          await demandSpace(trx, 'repository_id', repository.id, file.size, limits.attachmentMibPerRepository)
          await storage.demandSpaceFor(userId, file.size, trx)
          await trx
            .insertInto('attachment')
            .values({
              uuid: attachment.uuid,
              repository_id: repository.id,
              uploader_id: userId,
              name,
              content_type: contentType,
              blob_hash: file.hash,
              size: file.size,
              created_at: clock.now(),
            })
            .execute()
        },
        [`attachments:user:${userId}`, `attachments:repository:${repository.id}`, storageLock(userId)],
      )
      return attachment
    },

    /** For readers of its repository; in a public one, for anyone. */
    async open(actor: Actor, uuid: string, need: RepositoryNeed): Promise<Attachment> {
      if (!isUuid(uuid)) throw notFound()
      const row = await store.db
        .selectFrom('attachment')
        .selectAll()
        .where('uuid', '=', uuid.toLowerCase())
        .executeTakeFirst()
      if (!row) throw notFound()
      await opening.open(actor, { id: row.repository_id }, need)
      return {
        uuid: row.uuid,
        name: row.name,
        contentType: row.content_type,
        hash: row.blob_hash,
        size: row.size,
      }
    },

    read: (file: Attachment, range?: { start: number; end: number }): Promise<Readable | Buffer> =>
      files.open(file, range),
  }
}
