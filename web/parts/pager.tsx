/** Pages of a list, by real links. */
import { usePlace } from '../app/location.ts'

export const pageSize = 25

export function usePage(size = pageSize): { page: number; Offset: number; Limit: number } {
  const given = Number(usePlace().query.get('page') ?? '1')
  const page = Number.isSafeInteger(given) && given > 0 ? given : 1
  return { page, Offset: (page - 1) * size, Limit: size }
}

export function Pager({ total, size = pageSize, what }: { total: number; size?: number; what: string }) {
  const { path, query } = usePlace()
  const { page } = usePage(size)
  const last = Math.max(1, Math.ceil(total / size))
  const to = (number: number) => {
    const next = new URLSearchParams(query)
    if (number === 1) next.delete('page')
    else next.set('page', String(number))
    return next.size > 0 ? `${path}?${next}` : path
  }
  const from = Math.min(total, (page - 1) * size + 1)
  return (
    <nav class="pager" aria-label="Pages">
      <span>
        {total === 0
          ? `No ${what}`
          : `${from.toLocaleString('en')} to ${Math.min(total, page * size).toLocaleString('en')} of ${total.toLocaleString('en')} ${what}`}
      </span>
      {last > 1 && (
        <span class="row">
          {page > 1 && (
            <a class="button tight" href={to(page - 1)} rel="prev">
              Previous
            </a>
          )}
          {page < last && (
            <a class="button tight" href={to(page + 1)} rel="next">
              Next
            </a>
          )}
        </span>
      )}
    </nav>
  )
}
