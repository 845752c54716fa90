/** Connections: a page of a list by `first` and `after`, or by `last` and `before`. Cursors are offsets in the list. */
import { Failure } from '../../lib/failure.ts'
import type { Page, PageRequest } from '../../lib/page.ts'

export type ConnectionArgs = {
  readonly first?: number | null
  readonly last?: number | null
  readonly after?: string | null
  readonly before?: string | null
  /** Set by the resolver if the query selects no text of the items. */
  readonly withoutTexts?: boolean
}

export const mostPerPage = 100

type Window = {
  readonly nodes: readonly unknown[]
  readonly edges: readonly { readonly cursor: string; readonly node: unknown }[]
  readonly totalCount: number
  readonly pageInfo: object
}

export const encodeCursor = (place: number): string => Buffer.from(`cursor:${place}`).toString('base64')

function decodeCursor(name: string, text: string): number {
  const found = /^cursor:(\d{1,9})$/.exec(Buffer.from(text, 'base64').toString('utf8'))
  if (found) return Number(found[1])
  throw new Failure(
    'invalid',
    'bad-cursor',
    `\`${text.slice(0, 100)}\` does not appear to be a valid cursor for \`${name}\`.`,
  )
}

/** If the query selects only `totalCount`, only the count is read. */
export async function connect<T>(
  args: ConnectionArgs,
  load: (page: PageRequest) => Promise<Page<T>>,
  toNode: (item: T) => unknown,
): Promise<Window> {
  const after = args.after ? decodeCursor('after', args.after) : 0
  const before = args.before ? decodeCursor('before', args.before) : undefined
  const texts = args.withoutTexts ? { withoutTexts: true } : undefined
  const isBackward = args.first === undefined || args.first === null
  if (!isBackward) {
    const size = Math.min(args.first!, before === undefined ? args.first! : Math.max(0, before - 1 - after))
    return describe(await load({ ...texts, offset: after, limit: size }), after, toNode)
  }
  const size = args.last ?? 0
  const { total } = before === undefined ? await load({ offset: 0, limit: 0 }) : { total: before - 1 }
  const offset = Math.max(after, total - size)
  if (size === 0) return describe({ total, items: [] }, total, toNode)
  const limit = Math.max(0, Math.min(size, total - offset))
  return describe(await load({ ...texts, offset, limit }), offset, toNode)
}

/** A connection over a list that is already in memory. */
export const connectAll = <T>(
  args: ConnectionArgs,
  items: readonly T[],
  toNode: (item: T) => unknown,
): Promise<Window> =>
  connect(
    args,
    async ({ offset, limit }) => ({ total: items.length, items: items.slice(offset, offset + limit) }),
    toNode,
  )

function describe<T>({ total, items }: Page<T>, offset: number, toNode: (item: T) => unknown): Window {
  const nodes = items.map(toNode)
  const edges = nodes.map((node, i) => ({ cursor: encodeCursor(offset + i + 1), node }))
  return {
    nodes,
    edges,
    totalCount: total,
    pageInfo: {
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
      hasNextPage: offset + items.length < total,
      hasPreviousPage: offset > 0 && total > 0,
    },
  }
}
