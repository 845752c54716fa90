/** How pairs of programs are told of: how alike they are, and whose they are. */
import type { AlikeSide } from '../../api/classes.ts'

/** Only what is the same is wholly alike. */
export const percent = (share: number): string => `${share < 1 ? Math.min(99, Math.round(share * 100)) : 100} %`

export const Name = ({ side: { RosterName, AccountName } }: { side: AlikeSide }) => (
  <>
    <bdi>{RosterName}</bdi> <small class="soft">{AccountName}</small>
  </>
)
