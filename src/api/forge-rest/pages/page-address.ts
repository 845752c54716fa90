/** Addresses of pages (`html_url`) below an owner's name, and what each shows. */

/** The subject of a repository's page; `nothing` means that there is no such page. */
export type PageSubject =
  | { readonly kind: 'repository' | 'nothing' }
  | { readonly kind: 'thread'; readonly number: number }
  | { readonly kind: 'commit'; readonly name: string }
  /** A ref and a path, not separated: a branch name may contain a slash. */
  | { readonly kind: 'path'; readonly steps: readonly string[] }

const lists = new Set(
  'issues pulls labels milestones branches tags releases wiki settings forks stargazers watchers commits compare graphs'
    .concat(' contributors invitations new actions')
    .split(' '),
)
/** Pages whose address has a ref and a path. */
const ofPaths = new Set(['tree', 'blob', 'blame', 'commits', 'raw', 'edit', 'delete', 'new', 'upload'])
/** Pages with further addresses below them, which only the page can check. */
const open = new Set([
  'graphs',
  'releases',
  'compare',
  'wiki',
  'settings',
  'labels',
  'milestone',
  'milestones',
  'actions',
])
const ofThreads = new Set(['issues', 'pull', 'pulls'])
const partsOfPull = new Set(['files', 'commits', 'checks', 'conflicts'])

/** `sent`: the segments after the repository's name, not decoded. */
export function readPageAddress(sent: readonly string[]): PageSubject {
  const steps = sent.map(decode)
  const [first = '', second, ...rest] = steps
  const nothing = { kind: 'nothing' } as const
  if (steps.length === 0 || first === '') return { kind: 'repository' }
  if (second === undefined) return lists.has(first) ? { kind: 'repository' } : nothing
  if (ofThreads.has(first)) {
    if (first !== 'pull' && second === 'new') return { kind: 'repository' }
    if (!/^[1-9]\d{0,9}$/.test(second)) return nothing
    const isPart = rest.length === 0 || (first !== 'issues' && partsOfPull.has(rest[0]!))
    return isPart ? { kind: 'thread', number: Number(second) } : nothing
  }
  if (first === 'commit') return rest.length === 0 ? { kind: 'commit', name: second } : nothing
  if (ofPaths.has(first)) return { kind: 'path', steps: steps.slice(1).filter((step) => step !== '') }
  return open.has(first) ? { kind: 'repository' } : nothing
}

/** A segment that can't be decoded names nothing. */
export function decode(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}
