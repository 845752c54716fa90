/** Points, where a problem gives some: of how many, and by group. */
type Props = { readonly score: number | null | undefined; readonly maximum: number | null | undefined }

export const Points = ({ score, maximum }: Props) =>
  typeof score === 'number' ? (
    <span class="points nowrap">
      {score}
      {typeof maximum === 'number' && ` of ${maximum}`} points
    </span>
  ) : null
