/** The organisations in which students' copies of a class's templates are made. */
import type { Sheet } from '../../api/classes.ts'
import { toPath } from '../../api/forge.ts'

export function ClassOrganisations({ sheets }: { sheets: readonly Sheet[] }) {
  const organisations = [...new Set(sheets.flatMap(({ Template }) => Template?.Organisation ?? []))].sort()
  if (organisations.length === 0) return null
  return (
    <p class="soft small">
      Repositories of this class are in{' '}
      {organisations.map((login, at) => (
        <span key={login}>
          {at > 0 && ', '}
          <a href={toPath(login)}>{login}</a>
        </span>
      ))}
      .
    </p>
  )
}
