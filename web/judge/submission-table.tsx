/** Submissions as a table. */
import type { SubmissionSnippet } from '../api/operations.ts'
import { languageName } from '../app/session.ts'
import { formatBytes, formatMs } from '../parts/figures.ts'
import { type Column, Table } from '../parts/table.tsx'
import { When } from '../parts/when.tsx'
import { ResultBadge } from './badge.tsx'
import { Points } from './points.tsx'

const author: Column<SubmissionSnippet> = {
  head: 'By',
  cell: ({ Author: { ID, DisplayName } }) => <a href={`/-/judge/submissions?by=${ID}`}>{DisplayName}</a>,
}

const columnsWith = (others: readonly Column<SubmissionSnippet>[]): readonly Column<SubmissionSnippet>[] => [
  { head: 'No.', cell: ({ ID }) => <a href={`/-/judge/submissions/${ID}`}>{ID}</a> },
  {
    head: 'Result',
    cell: ({ Status, Result, Score, MaximumScore }) => (
      <>
        <ResultBadge status={Status} result={Result} /> <Points score={Score} maximum={MaximumScore} />
      </>
    ),
  },
  {
    head: 'Problem',
    cell: ({ Problem: { UUID, DisplayName } }) => <a href={`/-/judge/problems/${UUID}`}>{DisplayName}</a>,
  },
  ...others,
  { head: 'Language', class: 'wide-only', look: 'soft', cell: ({ Language }) => languageName(Language) },
  {
    head: 'Time',
    class: 'number wide-only',
    look: 'soft',
    cell: ({ CPUTimeInMillisecond: ms }) => ms !== null && formatMs(ms),
  },
  {
    head: 'Memory',
    class: 'number roomy-only',
    look: 'soft',
    cell: ({ PeakMemoryInByte: bytes }) => bytes !== null && formatBytes(bytes),
  },
  { head: 'When', class: 'number wide-only', look: 'soft', cell: ({ CreatedTime }) => <When at={CreatedTime} /> },
]

export const SubmissionTable = ({ list, hasAuthor }: { list: readonly SubmissionSnippet[]; hasAuthor: boolean }) => (
  <div class="card flush scroll">
    <Table rows={list} columns={columnsWith(hasAuthor ? [author] : [])} keyOf={({ ID }) => ID} />
  </div>
)
