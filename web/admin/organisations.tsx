/** Every organisation of this server. */
import { readList } from '../api/forge.ts'
import { useLoad } from '../app/load.ts'
import { setQuery, usePlace } from '../app/location.ts'
import { Heading } from '../parts/heading.tsx'
import { Only } from '../parts/only.tsx'
import { Empty, Ready } from '../parts/state.tsx'
import { AdminTabs } from './admin-tabs.tsx'

type Organisation = { readonly id: number; readonly login: string; readonly description: string | null }

const size = 50

export const Organisations = () => (
  <Only who="admins" title="Organisations">
    <View />
  </Only>
)

/** The list goes on after the last id: organisations have no numbers of pages. */
function View() {
  const since = Number(usePlace().query.get('since')) || 0
  const found = useLoad(`organisations ${since}`, () =>
    readList<Organisation>('/organizations', { since, per_page: size }),
  )
  return (
    <>
      <Heading title="Organisations">
        <a class="button main" href="/-/organisations/new">
          New organisation
        </a>
      </Heading>
      <AdminTabs />
      <Ready of={found}>
        {({ items, hasMore }) => (
          <>
            <section class="card flush" aria-label="Organisations">
              {items.length === 0 && <Empty title="No organisations yet." />}
              <ul class="plain-list">
                {items.map(({ id, login, description }) => (
                  <li key={id} class="list-row">
                    <a class="strong" href={`/${login}`}>
                      {login}
                    </a>
                    {description && <span class="soft small block">{description}</span>}
                  </li>
                ))}
              </ul>
            </section>
            <p class="row">
              {since > 0 && (
                <button type="button" class="button tight" onClick={() => setQuery({ since: undefined })}>
                  First
                </button>
              )}
              {hasMore && (
                <button
                  type="button"
                  class="button tight"
                  onClick={() => setQuery({ since: String(items.at(-1)!.id) })}
                >
                  Next
                </button>
              )}
            </p>
          </>
        )}
      </Ready>
    </>
  )
}
