/** Points, where a problem gives some: of how many, and by group. */
type Props = { readonly score: number | null | undefined; readonly maximum: number | null | undefined }

/** What a scored problem is worth. */
export const describePoints = ({ MaximumScore }: { readonly MaximumScore: number | null }): string =>
  MaximumScore === null ? 'for points' : `${MaximumScore} points`

export const Points = ({ score, maximum }: Props) =>
  typeof score === 'number' ? (
    <span class="points nowrap">
      {score}
      {typeof maximum === 'number' && ` of ${maximum}`} points
    </span>
  ) : null
