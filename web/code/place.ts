/** What an address of code means: a ref, which may have slashes in its name, and a path below it. */
import { Fault } from '../api/fault.ts'
import { readIfThere, readList, repositoryPath } from '../api/forge.ts'

export type CodePlace = {
  /** The kind of the ref: a branch, a tag, or a commit. */
  readonly ref: string
  readonly kind: 'branch' | 'tag' | 'commit'
  readonly path: string
}

type Ref = { readonly ref: string }

/** A branch wins over a tag of the same name. Branch names can't be prefixes of each other, so at most one matches. */
export async function findPlace(owner: string, repo: string, rest: string): Promise<CodePlace> {
  const steps = rest.split('/').filter((step) => step !== '')
  const place = steps.join('/')
  const [heads, tags] = await Promise.all([
    listRefs(owner, repo, 'heads/', steps),
    listRefs(owner, repo, 'tags/', steps),
  ])
  for (const [kind, names] of [
    ['branch', heads],
    ['tag', tags],
  ] as const) {
    const ref = names.find((name) => place === name || place.startsWith(`${name}/`))
    if (ref !== undefined) return { ref, kind, path: place.slice(ref.length + 1) }
  }
  const [first = '', ...others] = steps
  if (/^[0-9a-f]{4,40}$/i.test(first) || first === 'HEAD') return { ref: first, kind: 'commit', path: others.join('/') }
  throw new Fault(404, `There is no branch or tag named ${first}.`)
}

/** If very many names share the prefix, the next path segment is tried as well. */
async function listRefs(owner: string, repo: string, kind: string, steps: readonly string[]): Promise<string[]> {
  for (let count = 1; count <= Math.min(2, steps.length); count++) {
    const start = `${kind}${steps.slice(0, count).join('/')}`
    const address = repositoryPath(owner, repo, 'git', 'matching-refs', start)
    const { items, hasMore } = await readList<Ref>(address, { per_page: 100 })
    if (!hasMore || count === steps.length || count === 2)
      return items.map(({ ref }) => ref.slice(`refs/${kind}`.length))
  }
  return []
}

/** A ref whose page this is, as the interface takes it: a branch and a tag may be called the same. */
export const toRef = ({ ref, kind }: CodePlace): string =>
  kind === 'branch' ? `heads/${ref}` : kind === 'tag' ? `tags/${ref}` : ref

export const hasBranch = async (owner: string, repo: string, name: string): Promise<boolean> =>
  (await readIfThere(repositoryPath(owner, repo, 'git', 'ref', `heads/${name}`))) !== undefined
