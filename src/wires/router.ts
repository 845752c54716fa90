/**
 * Which handler an address leads to. Segments that are written out come before params, and params before the rest of a
 * path (`*`); where one way leads nowhere the next is tried. The hosting interface has more than a thousand addresses: in
 * Fastify's own router each takes a context, listeners and compiled code, 0.15 s of each start in all.
 */
import { findQuery } from './http-request.ts'

export type Router<T> = {
  add(method: string, path: string, handler: T): void
  /** By the address as it came, with or without a query. */
  find(method: string, url: string): Found<T> | undefined
}

export type Found<T> = { readonly handler: T; readonly params: Readonly<Record<string, string>> }

type Leaf<T> = { readonly handler: T; readonly names: readonly string[] }
type Leaves<T> = Record<string, Leaf<T>>

type Node<T> = {
  statics: Map<string, Node<T>> | undefined
  param: Node<T> | undefined
  /** By method: what ends here, and what takes all that follows. */
  ends: Leaves<T> | undefined
  rests: Leaves<T> | undefined
}

type ByMethod<T> = Record<string, Found<T>>

/** So many addresses are known as a whole, of so many characters at most: what is asked for is asked for again. */
const maxKnown = 2_000
const maxKnownLength = 200

const makeNode = <T>(): Node<T> => ({ statics: undefined, param: undefined, ends: undefined, rests: undefined })

export function makeRouter<T>(): Router<T> {
  const root = makeNode<T>()
  /** By whole paths. */
  const known = new Map<string, ByMethod<T>>()

  function add(method: string, path: string, handler: T): void {
    const names: string[] = []
    let node = root
    for (const segment of path.slice(1).split('/')) {
      if (segment === '*') {
        node.rests ??= Object.create(null) as Leaves<T>
        node.rests[method] = { handler, names: [...names, '*'] }
        return
      }
      if (segment.startsWith(':')) {
        names.push(segment.slice(1))
        node.param ??= makeNode()
        node = node.param
        continue
      }
      node.statics ??= new Map()
      let next = node.statics.get(segment)
      if (!next) {
        next = makeNode()
        node.statics.set(segment, next)
      }
      node = next
    }
    node.ends ??= Object.create(null) as Leaves<T>
    node.ends[method] = { handler, names }
  }

  function find(method: string, url: string): Found<T> | undefined {
    const path = pathOf(url)
    const byMethod = known.get(path)
    return byMethod?.[method] ?? keep(method, path, byMethod, search(method, path))
  }

  function keep(method: string, path: string, byMethod: ByMethod<T> | undefined, found: Found<T> | undefined) {
    if (!found || path.length > maxKnownLength) return found
    if (byMethod) byMethod[method] = found
    else {
      if (known.size >= maxKnown) known.clear()
      known.set(path, Object.assign(Object.create(null) as ByMethod<T>, { [method]: found }))
    }
    return found
  }

  function search(method: string, path: string): Found<T> | undefined {
    // `OPTIONS *` asks about the server as a whole.
    if (!path.startsWith('/')) return undefined
    const segments = readSegments(path)
    const values: string[] = []

    function walk(node: Node<T>, at: number): Leaf<T> | undefined {
      if (at === segments.length) return node.ends?.[method]
      const segment = segments[at]!
      const next = node.statics?.get(segment)
      const found = next && walk(next, at + 1)
      if (found) return found
      if (node.param) {
        values.push(segment)
        const below = walk(node.param, at + 1)
        if (below) return below
        values.pop()
      }
      const rest = node.rests?.[method]
      if (rest) values.push(segments.slice(at).join('/'))
      return rest
    }

    const leaf = walk(root, 0)
    if (!leaf) return undefined
    const params: Record<string, string> = {}
    for (const [i, name] of leaf.names.entries()) params[name] = values[i]!
    return { handler: leaf.handler, params: Object.freeze(params) }
  }

  return { add, find }
}

function pathOf(url: string): string {
  const end = findQuery(url)
  return end < 0 ? url : url.slice(0, end)
}

/** Decoded one by one, so that an escaped slash is part of a name. */
function readSegments(path: string): string[] {
  const segments = path.slice(1).split('/')
  return path.includes('%') ? segments.map(decodeURIComponent) : segments
}
