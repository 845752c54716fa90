/** Pages of a list, by real links. */
import { usePlace } from '../app/location.ts'
import { formatCount } from './figures.ts'

export const pageSize = 25

export function usePage(size = pageSize): { page: number; Offset: number; Limit: number } {
  const given = Number(usePlace().query.get('page') ?? '1')
  const page = Number.isSafeInteger(given) && given > 0 ? given : 1
  return { page, Offset: (page - 1) * size, Limit: size }
}

function Steps({ page, hasMore }: { page: number; hasMore: boolean }) {
  const { path, query } = usePlace()
  const to = (number: number) => {
    const next = new URLSearchParams(query)
    if (number === 1) next.delete('page')
    else next.set('page', String(number))
    return next.size > 0 ? `${path}?${next}` : path
  }
  if (page === 1 && !hasMore) return null
  return (
    <span class="row">
      {page > 1 && (
        <a class="button tight" href={to(page - 1)} rel="prev">
          Previous
        </a>
      )}
      {hasMore && (
        <a class="button tight" href={to(page + 1)} rel="next">
          Next
        </a>
      )}
    </span>
  )
}

type StepPagerProps = {
  /** On this page. */
  readonly count: number
  readonly hasMore: boolean
  readonly size: number
  readonly what: string
}

/** Where nobody knows how many there are. */
export function StepPager({ count, hasMore, size, what }: StepPagerProps) {
  const { page, Offset } = usePage(size)
  return (
    <nav class="pager" aria-label="Pages">
      <span>{describePage(count, Offset, hasMore, what)}</span>
      <Steps page={page} hasMore={hasMore} />
    </nav>
  )
}

function describePage(count: number, offset: number, hasMore: boolean, what: string): string {
  if (offset === 0 && !hasMore) return describeAll(count, what)
  const named = what.replace(/^./, (first) => first.toUpperCase())
  return `${named}: ${formatCount(offset + 1)} to ${formatCount(offset + count)}`
}

/** `what` is in the plural: `items`. */
function describeAll(total: number, what: string): string {
  if (total === 0) return `No ${what}`
  return total === 1 ? `1 ${singularOf(what)}` : `${formatCount(total)} ${what}`
}

/** Of `repositories`, `branches`, `people` and of what only ends in an s; words may follow. */
const singularOf = (what: string): string =>
  what
    .replace(/^people/, 'person')
    .replace(/ies\b/, 'y')
    .replace(/(?<=ch|sh)es\b/, '')
    .replace(/s(?= found|$)/, '')

function describeRange(total: number, offset: number, size: number, what: string): string {
  if (total <= size) return describeAll(total, what)
  const last = Math.min(total, offset + size)
  return `${formatCount(Math.min(total, offset + 1))} to ${formatCount(last)} of ${formatCount(total)} ${what}`
}

export function Pager({ total, size = pageSize, what }: { total: number; size?: number; what: string }) {
  const { page, Offset } = usePage(size)
  return (
    <nav class="pager" aria-label="Pages">
      <span>{describeRange(total, Offset, size, what)}</span>
      <Steps page={page} hasMore={page * size < total} />
    </nav>
  )
}
