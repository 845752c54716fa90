/** Lists of branches or tags that point to commits, by name or, for tags, by the time of their commits. */
import type { OpenRepository } from '../../../forge/access/repository.ts'
import type { Graph } from '../graph.ts'
import { readWords } from '../orders.ts'

export type RefArgs = {
  readonly refPrefix: string
  readonly query?: string | null
  readonly direction?: 'ASC' | 'DESC' | null
  readonly orderBy?: { readonly field: 'ALPHABETICAL' | 'TAG_COMMIT_DATE'; readonly direction: 'ASC' | 'DESC' } | null
}

export async function listRefs({ services }: Graph, repository: OpenRepository, args: RefArgs) {
  const prefix = /^refs\/(heads|tags)\/?/.exec(args.refPrefix)?.[1]
  if (!prefix) return []
  const start = `refs/${prefix}/`
  const part = readWords(args.query) ?? ''
  const found = (await services.reading.refs(repository, start))
    .map(({ name, sha, target }) => ({ prefix: start, name: name.replace(start, ''), sha, target }))
    .filter(({ target, name }) => target.type === 'commit' && name.includes(part))
  if (prefix === 'tags' && args.orderBy?.field === 'TAG_COMMIT_DATE') {
    const times = await services.reading.refTimes(repository, start)
    const timeOf = ({ name }: { name: string }) => times.get(start + name) ?? 0
    found.sort((a, b) => timeOf(a) - timeOf(b))
  }
  const isDown = (args.orderBy?.direction ?? args.direction) === 'DESC'
  return isDown ? found.reverse() : found
}
