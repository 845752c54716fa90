/** Accounts are looked for by a part of the name; it is in the address. */
import { useState } from 'preact/hooks'
import { setQuery, usePlace } from '../app/location.ts'

export const useAccountSearch = (): string => usePlace().query.get('q') ?? ''

export function AccountSearch() {
  const [wished, setWished] = useState(useAccountSearch())
  const find = (event: Event) => {
    event.preventDefault()
    setQuery({ q: wished.trim() || undefined, page: undefined })
  }
  return (
    <search class="row filters">
      <form class="row small" onSubmit={find}>
        <input
          type="search"
          class="input small"
          aria-label="Name of an account"
          placeholder="Name or display name"
          value={wished}
          maxLength={64}
          onInput={(event) => setWished(event.currentTarget.value)}
        />
        <button type="submit" class="button tight">
          Search
        </button>
      </form>
    </search>
  )
}
