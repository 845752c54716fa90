/** Connections: the types that every list in the schema has. */

export const pageArgs = 'after: String, before: String, first: Int, last: Int'

/** `IssueConnection` and `IssueEdge` for `Issue`; `name` overrides the prefix. A given edge type already exists. */
export function connectionOf(node: string, name = node, givenEdge?: string): string {
  const edge = givenEdge ?? `${name}Edge`
  return `
type ${name}Connection { edges: [${edge}] nodes: [${node}] pageInfo: PageInfo! totalCount: Int! }
${givenEdge ? '' : `type ${edge} { cursor: String! node: ${node} }`}`
}

export const paging = `
type PageInfo { endCursor: String hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String }
enum OrderDirection { ASC DESC }
`
