/**
 * Storage quota of an owner: git data of their repositories, wikis, large files and release files, and the owner's
 * attachments anywhere. Data being received counts as it arrives.
 */
import { overQuota, type Quotas } from '../../accounts/quotas.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import type { Repository } from '../access/repository.ts'

const kib = 1024
const mib = 1024 * 1024

/** Data that arrives in parts and is stored once complete. */
export type Arrival = {
  /** Throws if these bytes would exceed the quota. */
  add(bytes: number): Promise<void>
  /** The data is stored and counted, or discarded. */
  end(): void
}

/** Per owner: bytes in progress, and ended arrivals, each of which makes earlier measurements stale. */
type Arriving = { open: number; bytes: number; ended: number }

/** Small objects are recorded once they reach this size: a write for each would cost more than they take. */
const notedBytes = 256 * kib

export type StorageQuota = ReturnType<typeof makeStorageQuota>

export function makeStorageQuota({ store, quotas: { repositoryMib } }: { store: Store; quotas: Quotas }) {
  const most = repositoryMib * mib
  const isBounded = Number.isFinite(most)
  const refusal = () => overQuota(`${repositoryMib} MiB of repositories`)
  const arriving = new Map<number, Arriving>()
  const unnoted = new Map<number, number>()

  async function measure(ownerId: number, on: Db = store.db): Promise<number> {
    const row = await on
      .selectFrom('repository')
      .leftJoin('lfs_usage', 'lfs_usage.repository_id', 'repository.id')
      .leftJoin('wiki_usage', 'wiki_usage.repository_id', 'repository.id')
      .select((eb) => [
        eb.fn.coalesce(eb.fn.sum<number>('repository.size_kib'), eb.lit(0)).as('git'),
        eb.fn.coalesce(eb.fn.sum<number>('wiki_usage.size_kib'), eb.lit(0)).as('wikis'),
        eb.fn.coalesce(eb.fn.sum<number>('byte_count'), eb.lit(0)).as('lfs'),
      ])
      .where('owner_id', '=', ownerId)
      .executeTakeFirstOrThrow()
    const files = await measureFiles(on, ownerId)
    const pulls = await measurePulls(on, ownerId)
    return (
      Math.max(0, Number(row.git) - pulls.strange) * kib +
      (Number(row.wikis) + pulls.own) * kib +
      Number(row.lfs) +
      files
    )
  }

  async function demandSpaceFor(ownerId: number, bytes: number, on: Db = store.db): Promise<void> {
    if (isBounded && (await measure(ownerId, on)) + bytes > most) throw refusal()
  }

  async function receive({ owner }: Pick<Repository, 'owner'>): Promise<Arrival> {
    if (!isBounded) return { add: async () => {}, end: () => {} }
    const all = arriving.get(owner.id) ?? { open: 0, bytes: 0, ended: 0 }
    arriving.set(owner.id, all)
    all.open++
    let own = 0
    let measuredAt = -1
    let stored = 0
    const end = () => {
      all.open--
      all.bytes -= own
      all.ended++
      own = 0
      if (all.open === 0) arriving.delete(owner.id)
    }
    const add = async (bytes: number) => {
      while (measuredAt !== all.ended) {
        measuredAt = all.ended
        stored = await measure(owner.id)
      }
      if (stored >= most || stored + all.bytes + bytes > most) throw refusal()
      all.bytes += bytes
      own += bytes
    }
    try {
      await add(0)
    } catch (error) {
      end()
      throw error
    }
    return { add, end }
  }

  async function noteWritten(repositoryId: number, bytes: number): Promise<void> {
    const sum = (unnoted.get(repositoryId) ?? 0) + bytes
    if (sum < notedBytes) return void unnoted.set(repositoryId, sum)
    unnoted.delete(repositoryId)
    await store.write((trx) =>
      trx
        .updateTable('repository')
        .set((eb) => ({ size_kib: eb('size_kib', '+', Math.ceil(sum / kib)) }))
        .where('id', '=', repositoryId)
        .execute(),
    )
  }

  return {
    /** In bytes. */
    measure,

    /** In bytes: a repository's git data, without commits that pulls of others brought. */
    async measureOwn({ id, sizeKib }: Repository): Promise<number> {
      const { kib: brought } = await sumPulls(store.db).where('repository_id', '=', id).executeTakeFirstOrThrow()
      return Math.max(0, sizeKib - Number(brought)) * kib
    },

    /** Throws if the owner is at the quota already: for acts that add little. */
    async demandSpace({ owner }: { readonly owner: { readonly id: number } }): Promise<void> {
      if (isBounded && (await measure(owner.id)) >= most) throw refusal()
    },

    /** Throws if these bytes would exceed the quota. */
    demandSpaceFor,

    /** Starts counting incoming data; always call `end`. Throws if there is no room at all. */
    receive,

    /** Runs an act that writes this many bytes of objects. They count from then on, even if no ref reaches them. */
    async write<T>(repository: Repository, bytes: number, act: () => Promise<T>): Promise<T> {
      const arrival = await receive(repository)
      try {
        await arrival.add(bytes)
        const result = await act()
        await noteWritten(repository.id, bytes)
        return result
      } finally {
        arrival.end()
      }
    },
  }
}

const sumPulls = (on: Db) =>
  on
    .selectFrom('pull_usage')
    .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('pull_usage.size_kib'), eb.lit(0)).as('kib'))

/** In KiB: what pulls of others brought to the owner's repositories, and the owner's pulls to others'. */
async function measurePulls(on: Db, ownerId: number): Promise<{ strange: number; own: number }> {
  const all = sumPulls(on)
  const strange = await all
    .innerJoin('repository', 'repository.id', 'pull_usage.repository_id')
    .where('repository.owner_id', '=', ownerId)
    .executeTakeFirstOrThrow()
  const own = await all.where('account_id', '=', ownerId).executeTakeFirstOrThrow()
  return { strange: Number(strange.kib), own: Number(own.kib) }
}

/** Release files count towards the repository's owner, attachments towards the uploader: any reader may attach. */
async function measureFiles(on: Db, ownerId: number): Promise<number> {
  const assets = await on
    .selectFrom('release_asset')
    .innerJoin('release', 'release.id', 'release_asset.release_id')
    .innerJoin('repository', 'repository.id', 'release.repository_id')
    .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('release_asset.size'), eb.lit(0)).as('bytes'))
    .where('repository.owner_id', '=', ownerId)
    .executeTakeFirstOrThrow()
  const attachments = await on
    .selectFrom('attachment')
    .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('size'), eb.lit(0)).as('bytes'))
    .where('uploader_id', '=', ownerId)
    .executeTakeFirstOrThrow()
  return Number(assets.bytes) + Number(attachments.bytes)
}

/** The lock for writes that count towards an owner, so that two do not use the same room. */
export const storageLock = (ownerId: number): string => `storage:${ownerId}`
