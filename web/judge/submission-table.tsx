/** Submissions as a table. */
import type { SubmissionSnippet } from '../api/operations.ts'
import { languageName } from '../app/session.ts'
import { formatBytes, formatMs } from '../parts/figures.ts'
import { When } from '../parts/when.tsx'
import { ResultBadge } from './badge.tsx'
import { Points } from './points.tsx'

export const SubmissionTable = ({ list, hasAuthor }: { list: readonly SubmissionSnippet[]; hasAuthor: boolean }) => (
  <div class="card flush scroll">
    <table class="table">
      <thead>
        <tr>
          <th scope="col">No.</th>
          <th scope="col">Problem</th>
          {hasAuthor && <th scope="col">By</th>}
          <th scope="col">Result</th>
          <th scope="col" class="wide-only">
            Language
          </th>
          <th scope="col" class="number wide-only">
            Time
          </th>
          <th scope="col" class="number wide-only">
            Memory
          </th>
          <th scope="col" class="number wide-only">
            When
          </th>
        </tr>
      </thead>
      <tbody>
        {list.map((one) => (
          <tr key={one.ID}>
            <td>
              <a href={`/-/judge/submissions/${one.ID}`}>{one.ID}</a>
            </td>
            <td>
              <a href={`/-/judge/problems/${one.Problem.UUID}`}>{one.Problem.DisplayName}</a>
            </td>
            {hasAuthor && (
              <td>
                <a href={`/-/judge/submissions?by=${one.Author.ID}`}>{one.Author.DisplayName}</a>
              </td>
            )}
            <td>
              <ResultBadge status={one.Status} result={one.Result} />{' '}
              <Points score={one.Score} maximum={one.MaximumScore} />
            </td>
            <td class="soft wide-only">{languageName(one.Language)}</td>
            <td class="number soft wide-only">
              {one.CPUTimeInMillisecond === null ? '' : formatMs(one.CPUTimeInMillisecond)}
            </td>
            <td class="number soft wide-only">
              {one.PeakMemoryInByte === null ? '' : formatBytes(one.PeakMemoryInByte)}
            </td>
            <td class="number soft wide-only">
              <When at={one.CreatedTime} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
