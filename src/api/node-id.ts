/** Global ids: type and id in one opaque text, shared by REST and GraphQL. */

/** Opaque, stable, unique across types. */
export const nodeId = (type: string, id: number | string): string => Buffer.from(`${type}:${id}`).toString('base64url')

/** Undefined for any text that `nodeId` did not make. */
export function parseNodeId(text: string): { readonly type: string; readonly id: string } | undefined {
  if (text.length > longest) return undefined
  const found = /^(?<type>[A-Za-z]+):(?<id>.+)$/s.exec(Buffer.from(text, 'base64url').toString('utf8'))?.groups
  if (!found || nodeId(found.type!, found.id!) !== text) return undefined
  return { type: found.type!, id: found.id! }
}

/** A branch name is the longest part of an id. */
const longest = 1_000
