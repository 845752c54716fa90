/** Connections: the types that every list of the schema is made of. */

export const pageArgs = 'after: String, before: String, first: Int, last: Int'

/** `IssueConnection` and `IssueEdge` of `Issue`; the names may be made of another one. An edge that is given is there already. */
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
