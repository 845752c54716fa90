/** A scoreboard that is polled; if it has not changed, the answer is empty. */
import { useRef } from 'preact/hooks'
import type { BoardCell, ContestStyle, Scoreboard } from '../../api/contests.ts'
import { call } from '../../api/rpc.ts'
import { type Loaded, useLoad } from '../../app/load.ts'
import { usePolling } from '../polling.ts'

export type BoardWish = { readonly isPublic: boolean; readonly groupId: string | undefined }

const runningMs = 3_000
const calmMs = 15_000
/** A board of thousands of teams is megabytes. */
const largeMs = 10_000
const largeTeams = 1_000

export function useBoard(ContestID: string, { isPublic, groupId }: BoardWish, isRunning: boolean): Loaded<Scoreboard> {
  const key = `board ${ContestID} ${isPublic} ${groupId ?? ''}`
  const known = useRef<{ key: string; version: string; board: Scoreboard } | undefined>(undefined)
  const loaded = useLoad(key, async () => {
    const before = known.current?.key === key ? known.current : undefined
    const { Version, Scoreboard } = await call('get_scoreboard', {
      ContestID,
      ...(isPublic && { IsPublic: true }),
      ...(groupId !== undefined && { GroupID: groupId }),
      ...(before && { KnownVersion: before.version }),
    })
    const board = Scoreboard ?? before!.board
    known.current = { key, version: Version, board }
    return board
  })
  const isLarge = (loaded.value?.RowList.length ?? 0) > largeTeams
  usePolling(loaded.reload, isRunning ? (isLarge ? largeMs : runningMs) : calmMs)
  return loaded
}

export const countPending = ({ RowList }: Scoreboard): number =>
  RowList.reduce((sum, { CellList }) => sum + CellList.reduce((own, { NumPending }) => own + NumPending, 0), 0)

export type CellLook = { readonly look: string; readonly text: string; readonly tries: string; readonly words: string }

const triesOf = (count: number): string => `${count} ${count === 1 ? 'try' : 'tries'}`

/** `words`: for screen readers. */
export function describeCell(cell: BoardCell, style: ContestStyle): CellLook {
  const { NumJudged, NumPending, IsSolved, IsFirst, Minute, Score } = cell
  const pending = NumPending > 0 ? `${NumPending} pending` : ''
  if (style === 'ioi') {
    const isTried = NumJudged > 0 || IsSolved || Score
    const look = NumPending > 0 ? 'pending' : IsFirst ? 'first' : IsSolved ? 'solved' : isTried ? 'some' : ''
    const text = isTried ? String(Score ?? 0) : ''
    const words = [isTried && `${Score ?? 0} points`, IsFirst && 'first', pending].filter(Boolean).join(', ')
    return {
      look,
      text: NumPending > 0 && !isTried ? '?' : text,
      tries: NumPending > 0 ? `? ${NumPending}` : '',
      words,
    }
  }
  if (IsSolved) {
    const tries = triesOf(NumJudged + 1)
    const words = `solved in minute ${Minute}, ${tries}${IsFirst ? ', first to solve' : ''}`
    return { look: IsFirst ? 'first' : 'solved', text: String(Minute), tries, words }
  }
  if (NumPending > 0) {
    const tries = NumJudged > 0 ? `${NumJudged} + ${NumPending}` : String(NumPending)
    return { look: 'pending', text: '?', tries, words: NumJudged > 0 ? `${NumJudged} wrong, ${pending}` : pending }
  }
  if (NumJudged > 0) return { look: 'wrong', text: '−', tries: triesOf(NumJudged), words: `${NumJudged} wrong` }
  return { look: '', text: '', tries: '', words: '' }
}
