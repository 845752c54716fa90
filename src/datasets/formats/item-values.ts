/** The values of an item by path: each is located once, however many conditions ask for it. */
import { isString, readString } from '../items/json-text.ts'
import { JsonTree } from '../items/json-tree.ts'
import type { FieldPath } from '../query/filter.ts'

export type FoundValue = {
  readonly json: string
  /** The decoded text, if it is a string. */
  readonly text: string | null
}

type Members = ReturnType<JsonTree['members']>

export class ItemValues {
  readonly #tree: JsonTree
  readonly #members = new Map<number, Members>()
  readonly #found = new Map<FieldPath, FoundValue | undefined>()

  constructor(json: string) {
    this.#tree = new JsonTree(json)
  }

  /** Cached by identity: callers pass the same array for the same path. */
  find(path: FieldPath): FoundValue | undefined {
    if (this.#found.has(path)) return this.#found.get(path)
    const at = this.#locate(path)
    const json = at === undefined ? undefined : this.#tree.slice(at)
    const found = json === undefined ? undefined : { json, text: isString(json) ? readString(json) : null }
    this.#found.set(path, found)
    return found
  }

  #locate(path: FieldPath): number | undefined {
    const tree = this.#tree
    let at: number | undefined = 0
    for (const segment of path) {
      if (at === undefined) return undefined
      if (tree.isObject(at)) at = this.#memberOf(at, segment)
      else if (tree.isArray(at) && /^\d{1,9}$/.test(segment)) at = elementOf(tree, at, Number(segment))
      else return undefined
    }
    return at
  }

  #memberOf(at: number, name: string): number | undefined {
    const members = this.#members.get(at) ?? this.#tree.members(at)
    this.#members.set(at, members)
    return members.starts[members.names.indexOf(name)]
  }
}

function elementOf(tree: JsonTree, at: number, index: number): number | undefined {
  let left = index
  for (const element of tree.elements(at)) if (left-- === 0) return element
  return undefined
}

export const findValue = (json: string, path: FieldPath): string | undefined => new ItemValues(json).find(path)?.json
