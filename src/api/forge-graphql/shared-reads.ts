/** Shares equal reads of one query: aliases of a list, or of its parent, are read once. */
import { type FieldNode, type GraphQLResolveInfo, getNamedType, Kind, type SelectionSetNode } from 'graphql'

type Args = Readonly<Record<string, unknown>>
type Method = (args: Args, context: unknown, info: GraphQLResolveInfo) => unknown

/** Texts that people write, which may be long; lists are loaded without them if none is selected. */
const isText = (name: string): boolean => name.startsWith('body') || name === 'description'

/** Lists of these types are read one at a time; those of other types are batched. */
const listOwners: ReadonlySet<string> = new Set(['Query', 'Repository', 'User', 'Organization'])

/** Each row of these may hold kibibytes. A page of other lists is read in a fraction of a turn. */
const listsOfTexts: ReadonlySet<string> = new Set([
  ...['IssueConnection', 'PullRequestConnection', 'SearchResultItemConnection'],
  ...['ReleaseConnection', 'MilestoneConnection'],
])

export const isList = ({ returnType }: GraphQLResolveInfo): boolean =>
  getNamedType(returnType).name.endsWith('Connection')

export const isReadAlone = ({ parentType, returnType }: GraphQLResolveInfo): boolean =>
  listOwners.has(parentType.name) && listsOfTexts.has(getNamedType(returnType).name)

/**
 * Resolves a field from the member of its name, as the library would, but calls a method only once with the same
 * arguments.
 */
export function makeSharedReads() {
  const made = new WeakMap<object, Map<string, unknown>>()
  const textsAsked = new WeakMap<FieldNode, boolean>()

  function asksForTexts({ fieldNodes, fragments }: GraphQLResolveInfo): boolean {
    const known = textsAsked.get(fieldNodes[0]!)
    if (known !== undefined) return known
    const seen = new Set<string>()
    const asks = ({ selections }: SelectionSetNode): boolean =>
      selections.some((one) => {
        if (one.kind === Kind.FIELD)
          return isText(one.name.value) || (one.selectionSet ? asks(one.selectionSet) : false)
        if (one.kind === Kind.INLINE_FRAGMENT) return asks(one.selectionSet)
        if (seen.has(one.name.value)) return false
        seen.add(one.name.value)
        return asks(fragments[one.name.value]!.selectionSet)
      })
    const found = fieldNodes.some(({ selectionSet }) => selectionSet !== undefined && asks(selectionSet))
    textsAsked.set(fieldNodes[0]!, found)
    return found
  }

  return (source: unknown, args: Args, context: unknown, info: GraphQLResolveInfo): unknown => {
    const owner = source as Record<string, unknown>
    const member = owner[info.fieldName]
    if (typeof member !== 'function') return member
    // The same mutation twice must run twice.
    if (info.parentType === info.schema.getMutationType()) return (member as Method).call(owner, args, context, info)
    const asked = isList(info) ? { ...args, withoutTexts: !asksForTexts(info) } : args
    const key = `${info.fieldName} ${JSON.stringify(asked)}`
    const known = made.get(owner) ?? new Map<string, unknown>()
    made.set(owner, known)
    if (!known.has(key)) known.set(key, (member as Method).call(owner, asked, context, info))
    return known.get(key)
  }
}
