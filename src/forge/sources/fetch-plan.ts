/** What a fetch changes: the source's branches, tags and notes, compared with the repository's. */
import type { RefChange } from '../git/push/ref-change.ts'
import { isWritableRef, zeroId } from '../git/ref-name.ts'
import type { Advertisement } from './protocol/advertisement.ts'
import { refuseSource } from './refusal.ts'

export type Refs = ReadonlyMap<string, string>

export type FetchPlan = {
  /** Without the default branch's deletion, which has to wait until another is the default. */
  readonly changes: readonly RefChange[]
  readonly lastChanges: readonly RefChange[]
  readonly wants: readonly string[]
  /** The branch that is to be the default: the source's own. */
  readonly defaultBranch: string | undefined
  readonly branchCount: number
  readonly tagCount: number
  readonly skipped: SkippedRefs
}

/** Refs of the source whose names this server does not take, and the first of their names. */
export type SkippedRefs = { readonly count: number; readonly names: readonly string[] }

type Planning = {
  readonly advertised: Advertisement
  readonly local: Refs
  readonly defaultBranch: string
  readonly isMirror: boolean
  readonly mostRefs: number
}

/** Others are a server's own: pulls, merge requests, changes under review. */
const taken = /^refs\/(?:heads|tags|notes)\//
const branches = 'refs/heads/'
const shownNames = 10

export const isTaken = (ref: string): boolean => taken.test(ref)

export function planFetch({ advertised, local, defaultBranch, isMirror, mostRefs }: Planning): FetchPlan {
  const { refs, skipped } = select(advertised.refs)
  if (refs.size > mostRefs)
    throw refuseSource(`The source has ${refs.size} branches and tags; this server takes ${mostRefs}.`)
  if (refs.size === 0 && (local.size > 0 || !isMirror))
    throw refuseSource(
      local.size > 0
        ? 'The source has no branches any more. Nothing was deleted here: stop mirroring to keep it as it is.'
        : 'The source is empty: push to it first.',
    )
  for (const ref of refs.keys()) demandNoFolder(ref, refs)
  if (!isMirror) demandSame(local, refs)
  const head = advertised.head !== undefined && refs.has(advertised.head) ? advertised.head : undefined
  const next = head?.startsWith(branches) ? head.slice(branches.length) : undefined
  const moved = [...refs].filter(([ref, sha]) => local.get(ref) !== sha)
  const gone = isMirror ? [...local].filter(([ref]) => !refs.has(ref)) : []
  const changes = [
    // If the source does not tell its default branch, the first of a first push is it.
    ...moved.map(([ref, after]) => ({ ref, before: local.get(ref) ?? zeroId, after })).sort(byPlace(head)),
    ...gone.map(([ref, before]) => ({ ref, before, after: zeroId })),
  ]
  const isLast = ({ ref, after }: RefChange) => after === zeroId && ref === branches + defaultBranch
  const known = new Set(local.values())
  return {
    changes: changes.filter((change) => !isLast(change)),
    lastChanges: changes.filter(isLast),
    wants: [...new Set(moved.map(([, sha]) => sha))].filter((sha) => !known.has(sha)),
    defaultBranch: next ?? (refs.has(branches + defaultBranch) ? undefined : firstBranch(refs)),
    branchCount: countBelow(refs, branches),
    tagCount: countBelow(refs, 'refs/tags/'),
    skipped,
  }
}

function select(advertised: Refs): { refs: Refs; skipped: SkippedRefs } {
  const refs = new Map<string, string>()
  const names: string[] = []
  let count = 0
  for (const [ref, sha] of advertised) {
    if (!isTaken(ref)) continue
    if (isWritableRef(ref)) refs.set(ref, sha)
    else if (++count <= shownNames) names.push(ref.slice(0, 200))
  }
  return { refs, skipped: { count, names } }
}

/** Git keeps refs in files: `a` and `a/b` can't both be there. */
function demandNoFolder(ref: string, refs: Refs): void {
  for (let at = ref.lastIndexOf('/'); at > 0; at = ref.lastIndexOf('/', at - 1))
    if (refs.has(ref.slice(0, at)))
      throw refuseSource(`The source has both ${ref.slice(0, at)} and ${ref}, which can’t be: it is damaged.`)
}

/** An import that was interrupted finds what it has brought; anything else came from elsewhere. */
function demandSame(local: Refs, refs: Refs): void {
  for (const [ref, sha] of local)
    if (refs.get(ref) !== sha)
      throw refuseSource('Somebody has pushed to the repository meanwhile: import into an empty one.')
}

const byPlace = (head: string | undefined) => (a: RefChange, b: RefChange) =>
  Number(b.ref === head) - Number(a.ref === head)

function firstBranch(refs: Refs): string | undefined {
  for (const ref of refs.keys()) if (ref.startsWith(branches)) return ref.slice(branches.length)
  return undefined
}

const countBelow = (refs: Refs, folder: string): number =>
  [...refs.keys()].filter((ref) => ref.startsWith(folder)).length
