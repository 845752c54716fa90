/** A data set and a user in this API's format. */
import type { Account, Actor } from '../../accounts/actor.ts'
import { mayAsOwner } from '../../datasets/access.ts'
import type { Dataset } from '../../datasets/dataset.ts'
import type { Index } from '../../datasets/indexes/definitions.ts'
import { spellPath } from '../../datasets/query/order.ts'
import { signItems } from '../../datasets/signature.ts'
import type { Statistics } from '../../datasets/statistics.ts'

/** A public address is valid for at least this long, and expires at a full minute. */
const publicUrlLifeMs = 14 * 24 * 3600_000
const minuteMs = 60_000
const endOfPublicUrl = (nowMs: number): number => Math.ceil((nowMs + publicUrlLifeMs) / minuteMs) * minuteMs

export type Viewer = { readonly actor: Actor; readonly baseUrl: string; readonly nowMs: number }

/** Ids are strings in this API. */
export const presentId = (id: number): string => String(id)

/** Shown only in the data set's own object, not in lists. */
export type Details = { readonly fields: readonly string[]; readonly indexes: readonly Index[] }

export function presentDataset(dataset: Dataset, details: Details | null, viewer: Viewer) {
  const { actor, baseUrl, nowMs } = viewer
  const itemsUrl = `${baseUrl}/v2/datasets/${dataset.id}/items`
  return {
    id: dataset.id,
    name: dataset.name,
    title: dataset.title,
    userId: presentId(dataset.ownerId),
    username: dataset.ownerName,
    createdAt: dataset.createdAt.toISOString(),
    modifiedAt: dataset.modifiedAt.toISOString(),
    accessedAt: dataset.accessedAt.toISOString(),
    itemCount: dataset.itemCount,
    cleanItemCount: dataset.cleanItemCount,
    ...(details && { fields: details.fields, indexes: details.indexes.map(presentIndex) }),
    ...(dataset.schema !== undefined && { schema: dataset.schema }),
    generalAccess: dataset.generalAccess,
    consoleUrl: `${baseUrl}/-/datasets/${dataset.id}`,
    stats: { readCount: dataset.readCount, writeCount: dataset.writeCount, storageBytes: dataset.byteCount },
    ...(mayAsOwner(actor, dataset, 'read') && {
      itemsPublicUrl: `${itemsUrl}?signature=${signItems(dataset, endOfPublicUrl(nowMs))}`,
    }),
    ...(mayAsOwner(actor, dataset, 'write') && { urlSigningSecretKey: dataset.signingKey }),
  }
}

const presentIndex = ({ path, itemCount, byteCount }: Index) => ({
  field: spellPath(path),
  itemCount,
  storageBytes: byteCount,
})

/** The public part of an account, and the part that only the account itself sees. */
export function presentUser(account: Account, isSelf: boolean) {
  return {
    id: presentId(account.id),
    username: account.name,
    profile: { name: account.displayName },
    ...(isSelf && { createdAt: account.createdAt.toISOString(), role: account.role }),
  }
}

/** Writes the JSON as text, so that minima and maxima keep every digit that was pushed. */
export function writeStatistics(statistics: Statistics): string {
  const members = [...statistics].map(
    ([name, { min, max, nullCount, emptyCount }]) =>
      `${JSON.stringify(name)}:{"min":${min ?? 'null'},"max":${max ?? 'null'},"nullCount":${nullCount},"emptyCount":${emptyCount}}`,
  )
  return `{"data":{"fieldStatistics":{${members.join(',')}}}}`
}
