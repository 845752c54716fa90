/** Global ids: type and id in one opaque text. REST and GraphQL share them. */

/** Opaque, stable, unique across types. */
export const nodeId = (type: string, id: number | string): string => Buffer.from(`${type}:${id}`).toString('base64url')

/** Undefined for what is none of ours. */
export function parseNodeId(text: string): { readonly type: string; readonly id: string } | undefined {
  if (text.length > longest) return undefined
  const found = /^(?<type>[A-Za-z]+):(?<id>.+)$/s.exec(Buffer.from(text, 'base64url').toString('utf8'))?.groups
  if (!found || nodeId(found.type!, found.id!) !== text) return undefined
  return { type: found.type!, id: found.id! }
}

/** The name of a branch is the longest part of one. */
const longest = 1_000
