/** A moment: how long ago, and exactly where one points at it. */
import { formatAgo, formatTime } from './figures.ts'

export const When = ({ at }: { at: number }) => (
  <time dateTime={new Date(at).toISOString()} title={formatTime(at)} class="nowrap">
    {formatAgo(at)}
  </time>
)
