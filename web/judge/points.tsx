/** Points, where a problem gives some: of how many, and by group. */
type Props = { readonly score: number | null | undefined; readonly maximum: number | null | undefined }

/** What a scored problem is worth. */
export const describePoints = ({ MaximumScore }: { readonly MaximumScore: number | null }): string =>
  MaximumScore === null ? 'for points' : `${MaximumScore} points`

/** A share of a third reads 6.67; exports have the exact points. */
export const formatScore = (score: number): string => String(Math.round(score * 100) / 100)

export const Points = ({ score, maximum }: Props) =>
  typeof score === 'number' ? (
    <span class="points nowrap">
      {formatScore(score)}
      {typeof maximum === 'number' && ` of ${maximum}`} points
    </span>
  ) : null
