/**
 * The beginning of a feed: an event for each object that exists. It is made in parts, one for each type; feeds of one
 * audience that begin together share them.
 */
import { makeSlices } from '../../lib/scheduling/slices.ts'
import { type FeedType, feedTypes } from './access.ts'
import { isLastOf, keepKnown, type Seen, writeEvent } from './feed-events.ts'
import type { FeedPosition, FeedTokens } from './feed-tokens.ts'
import type { ApiObject, ContestObjects } from './objects.ts'

/** `objects`: those of a type whose changes are found by comparison later. */
export type SnapshotPart = { readonly texts: readonly string[]; readonly objects: readonly ApiObject[] }

/** The state comes last, because it may say that nothing more follows. */
export const snapshotTypes: readonly FeedType[] = [...feedTypes.filter((type) => type !== 'state'), 'state']

export type ComparedType = 'awards' | 'problems' | 'accounts'

export const isCompared = (type: FeedType): type is ComparedType =>
  type === 'awards' || type === 'problems' || type === 'accounts'

/** Events are sent in texts of about this length. */
const textLength = 16 * 1024

/** The part with this index, or what follows the place in it. Undefined if the type is hidden from the reader. */
export async function readSnapshotPart(
  objects: ContestObjects,
  { view, endpoints }: Seen,
  index: number,
  { place, tokens }: { readonly place: FeedPosition; readonly tokens: FeedTokens },
): Promise<SnapshotPart | undefined> {
  const type = snapshotTypes[index]!
  const known = endpoints.get(type)
  if (!known) return undefined
  const all = await objects.list(view, type)
  const { sequence, snapshot: from } = place
  const isSingle = type === 'contest' || type === 'state'
  // This state says that nothing more follows, so it is sent after everything else.
  if (isSingle && isLastOf(type, all[0]!)) return { texts: [], objects: [] }
  const begin = isSingle || from?.type !== index ? 0 : all.findIndex(({ id }) => id === from.last) + 1
  const texts: string[] = []
  const slices = makeSlices()
  let text = ''
  for (let i = begin; i < all.length; i++) {
    const object = all[i]!
    const id = isSingle ? null : (object.id as string)
    const token = tokens.write({ sequence, snapshot: { type: index, last: id ?? '' } })
    text += writeEvent(type, id, keepKnown(known, object), token)
    if (text.length >= textLength) {
      texts.push(text)
      text = ''
    }
    if (slices.isDue()) await slices.pause()
  }
  if (text !== '') texts.push(text)
  return { texts, objects: isCompared(type) ? all : [] }
}
