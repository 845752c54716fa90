/** The rows of data sets: found by address, listed for an account, and inserted. */

import { sql } from 'kysely'
import type { Actor } from '../accounts/actor.ts'
import type { Clock } from '../lib/clock.ts'
import { demand } from '../lib/failure.ts'
import { generateAlphanumeric } from '../lib/ids.ts'
import type { Page } from '../lib/page.ts'
import { splitWords } from '../lib/text/split-words.ts'
import { hasPart } from '../store/name-words.ts'
import { prepareQuery } from '../store/prepared.ts'
import type { Store } from '../store/store.ts'
import { type DatasetAddress, demandAccount, type NamedAddress } from './access.ts'
import { type Dataset, toDataset, unnamedLifeMs } from './dataset.ts'
import type { Usage } from './usage.ts'

export type DatasetDraft = { readonly name: string | null; readonly schema: unknown }
/** A search looks at this many of the newest. */
const mostSearched = 10_000

export type DatasetListing = { offset: number; limit: number; desc: boolean; unnamed: boolean }

/** In characters; a longer schema is shown only by the data set itself. */
const maxListedSchema = 4_096
const listedColumns = [
  'dataset.id',
  'dataset.public_id',
  'dataset.account_id',
  'dataset.name',
  'dataset.title',
  'dataset.general_access',
  'dataset.signing_key',
  'dataset.created_at',
  'dataset.modified_at',
  'dataset.accessed_at',
  'dataset.item_count',
  'dataset.clean_count',
  'dataset.byte_count',
  'dataset.read_count',
  'dataset.write_count',
  'dataset.index_version',
] as const

export type DatasetRows = ReturnType<typeof makeDatasetRows>

export function makeDatasetRows({ store, clock, usage }: { store: Store; clock: Clock; usage: Usage }) {
  const rows = () =>
    store.db
      .selectFrom('dataset')
      .innerJoin('account', 'account.id', 'dataset.account_id')
      .selectAll('dataset')
      .select('account.name as owner_name')

  /** Without long schemas: with them, a page of a list could have a gigabyte. */
  const listed = () =>
    store.db
      .selectFrom('dataset')
      .innerJoin('account', 'account.id', 'dataset.account_id')
      .select(listedColumns)
      .select([
        'account.name as owner_name',
        sql<number>`coalesce(length(dataset.schema), 0)`.as('schema_length'),
        sql<string | null>`case when length(dataset.schema) <= ${maxListedSchema} then dataset.schema end`.as('schema'),
      ])

  const rowOfOwner = prepareQuery(store.db, ({ accountId, name }: { accountId: number; name: string }) =>
    rows().where('account_id', '=', accountId).where('dataset.name', '=', name),
  )
  /** Not cached: another server may just have made it. */
  async function findOwn(accountId: number, name: string): Promise<Dataset | null> {
    const [row] = await rowOfOwner({ accountId, name })
    return row ? toDataset(row) : null
  }

  /** An expired unnamed data set is not found, whether it was already deleted or not. */
  async function find(actor: Actor, address: DatasetAddress): Promise<Dataset> {
    const known = address.by === 'id' ? await byId(address.id) : await findNamed(actor, address)
    const dataset = known && usage.withUnsaved(known)
    const isExpired = dataset && dataset.name === null && dataset.accessedAt.getTime() + unnamedLifeMs <= clock.now()
    demand(dataset && !isExpired, 'not-found', 'record-not-found', 'There is no such data set.')
    return dataset
  }

  const rowById = prepareQuery(store.db, ({ id }: { id: string }) => rows().where('public_id', '=', id))
  async function byId(id: string): Promise<Dataset | null> {
    const [row] = await rowById({ id })
    return row ? toDataset(row) : null
  }

  const rowOfNamed = prepareQuery(store.db, ({ ownerKey, name }: { ownerKey: string; name: string }) =>
    rows().where('dataset.name', '=', name).where('account.name_key', '=', ownerKey),
  )
  async function findNamed(actor: Actor, { ownerName, name }: NamedAddress): Promise<Dataset | null> {
    if (ownerName === null) {
      demandAccount(actor)
      return findOwn(actor.account.id, name)
    }
    const [row] = await rowOfNamed({ ownerKey: ownerName.toLowerCase(), name })
    return row ? toDataset(row) : null
  }

  type Chosen = { accountId: number; alive: number }
  const prepareList = (unnamed: boolean) => {
    const chosen = ({ accountId, alive }: Chosen) =>
      listed()
        .where('account_id', '=', accountId)
        .where((eb) =>
          unnamed
            ? eb.or([eb('dataset.name', 'is not', null), eb('accessed_at', '>', alive)])
            : eb('dataset.name', 'is not', null),
        )
    const inOrder = (order: 'asc' | 'desc') =>
      prepareQuery(store.db, (args: Chosen & { offset: number; limit: number }) =>
        chosen(args).orderBy('dataset.id', order).offset(args.offset).limit(args.limit),
      )
    return {
      count: prepareQuery(store.db, (args: Chosen) =>
        chosen(args)
          .clearSelect()
          .select((eb) => eb.fn.countAll<number>().as('total')),
      ),
      read: { asc: inOrder('asc'), desc: inOrder('desc') },
    }
  }
  const lists = { named: prepareList(false), all: prepareList(true) }

  return {
    find,
    findOwn,

    async list(accountId: number, { offset, limit, desc, unnamed }: DatasetListing): Promise<Page<Dataset>> {
      const { count, read } = unnamed ? lists.all : lists.named
      const chosen = { accountId, alive: clock.now() - unnamedLifeMs }
      const [counted] = await count(chosen)
      const found = await read[desc ? 'desc' : 'asc']({ ...chosen, offset, limit })
      return {
        total: counted!.total,
        items: found.map((row) => ({
          ...toDataset(row),
          ...(row.schema_length > maxListedSchema && { schema: undefined }),
        })),
      }
    },

    /** The account's data sets by parts of their names or titles, newest first. */
    async search(accountId: number, text: string, limit: number): Promise<Dataset[]> {
      const newest = store.db
        .selectFrom('dataset')
        .select('dataset.id')
        .where('account_id', '=', accountId)
        .where((eb) => eb.or([eb('dataset.name', 'is not', null), eb('accessed_at', '>', clock.now() - unnamedLifeMs)]))
        .orderBy('dataset.id', 'desc')
        .limit(mostSearched)
      let found = listed().where('dataset.id', 'in', newest)
      for (const word of splitWords(text))
        found = found.where((eb) => eb.or([hasPart('dataset.name', word), hasPart('dataset.title', word)]))
      const rows = await found.orderBy('dataset.id', 'desc').limit(limit).execute()
      return rows.map((row) => ({
        ...toDataset(row),
        ...(row.schema_length > maxListedSchema && { schema: undefined }),
      }))
    },

    async insert(accountId: number, { name, schema }: DatasetDraft): Promise<Dataset> {
      const now = clock.now()
      const id = generateAlphanumeric(17)
      await store.write((trx) =>
        trx
          .insertInto('dataset')
          .values({
            public_id: id,
            account_id: accountId,
            name,
            title: null,
            general_access: 'RESTRICTED',
            schema: schema === null ? null : JSON.stringify(schema),
            signing_key: generateAlphanumeric(32),
            created_at: now,
            modified_at: now,
            accessed_at: now,
            item_count: 0,
            clean_count: 0,
            byte_count: 0,
            read_count: 0,
            write_count: 0,
          })
          .execute(),
      )
      return toDataset(await rows().where('public_id', '=', id).executeTakeFirstOrThrow())
    },
  }
}
