/** Equal reads of one query are made once: aliases of one list, or of the thing that it hangs on, share what was read. */
import { type FieldNode, type GraphQLResolveInfo, getNamedType, Kind, type SelectionSetNode } from 'graphql'

type Args = Readonly<Record<string, unknown>>
type Method = (args: Args, context: unknown, info: GraphQLResolveInfo) => unknown

/** Texts of people, which may be long; lists leave them out where none of these is asked for. */
const isText = (name: string): boolean => name.startsWith('body') || name === 'description'

/** Their lists are read one by one; those of other things are read for many at once. */
const listOwners: ReadonlySet<string> = new Set(['Query', 'Repository', 'User', 'Organization'])

/** Each of their rows may hold kibibytes; a page of the others is read in a fraction of a turn. */
const listsOfTexts: ReadonlySet<string> = new Set([
  ...['IssueConnection', 'PullRequestConnection', 'SearchResultItemConnection'],
  ...['ReleaseConnection', 'MilestoneConnection'],
])

export const isList = ({ returnType }: GraphQLResolveInfo): boolean =>
  getNamedType(returnType).name.endsWith('Connection')

export const isReadAlone = ({ parentType, returnType }: GraphQLResolveInfo): boolean =>
  listOwners.has(parentType.name) && listsOfTexts.has(getNamedType(returnType).name)

/** Resolves a field from the member of its name, as the library would, but calls a method with the same arguments once. */
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
    // Who does the same twice does it twice.
    if (info.parentType === info.schema.getMutationType()) return (member as Method).call(owner, args, context, info)
    const asked = isList(info) ? { ...args, withoutTexts: !asksForTexts(info) } : args
    const key = `${info.fieldName} ${JSON.stringify(asked)}`
    const known = made.get(owner) ?? new Map<string, unknown>()
    made.set(owner, known)
    if (!known.has(key)) known.set(key, (member as Method).call(owner, asked, context, info))
    return known.get(key)
  }
}
