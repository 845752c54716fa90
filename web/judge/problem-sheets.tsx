/** On a problem's page: the sheets that it is in, with its points there and when they are due. */
import { Countdown, Moment } from '../parts/due.tsx'
import { useOwnSheets } from './own-sheets.ts'

export function SheetsOfProblem({ uuid }: { uuid: string }) {
  const places = useOwnSheets().value?.get(uuid) ?? []
  return (
    <>
      {places.map(({ sheetId, title, points, due, lateUntil }) => (
        <p class="row" key={sheetId}>
          <span>
            <a href={`/-/sheets/${sheetId}`}>{title}</a> · {points} points
            {due !== null && (
              <>
                {' '}
                · due <Moment at={due} />
              </>
            )}
          </span>
          <Countdown due={due} lateUntil={lateUntil} />
        </p>
      ))}
    </>
  )
}
