/** Addresses of the page (`html_url`) below an owner's name: which of them there are, and what each shows. */

/** What a page of a repository shows; `nothing` is no page at all. */
export type PageSubject =
  | { readonly kind: 'repository' | 'nothing' }
  | { readonly kind: 'thread'; readonly number: number }
  | { readonly kind: 'commit'; readonly name: string }
  /** A ref and a path, in one: a branch may have a slash in its name. */
  | { readonly kind: 'path'; readonly steps: readonly string[] }

const lists = new Set(
  'issues pulls labels milestones branches tags releases wiki settings forks stargazers watchers commits compare graphs'
    .concat(' contributors invitations new actions')
    .split(' '),
)
/** Pages that name a ref and what is below it. */
const ofPaths = new Set(['tree', 'blob', 'blame', 'commits', 'raw', 'edit', 'delete', 'new', 'upload'])
/** Pages with more below them, which only the page itself can judge. */
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

/** `steps` is what follows the repository's name, as it was sent. */
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

/** What can't be decoded is a name that nothing has. */
export function decode(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}
