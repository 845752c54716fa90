/** The scoreboard in the Contest API's format. Its bytes are made once per version of the board. */
import { contestTimeOf } from '../../judge/contest-access/contest.ts'
import { toMinute } from '../../judge/contests/board/cell.ts'
import type { ShownBoard } from '../../judge/contests/scoreboards.ts'
import { toPoints } from '../../lib/judging-rules/scoring/rules.ts'
import { presentState } from './objects.ts'
import { toRelative, toTime } from './times.ts'

const ofMinute = (minute: number) => toRelative(minute * 60_000)

export function presentBoard({ board, rows }: ShownBoard, now: number): object {
  const { contest, problems, at } = board
  const isIoi = contest.style === 'ioi'
  return {
    time: toTime(at),
    contest_time: toRelative(contestTimeOf(contest, at) ?? 0),
    state: presentState(contest, now),
    rows: rows.map((row) => ({
      rank: row.rank,
      team_id: row.team.publicId,
      score: isIoi
        ? { score: toPoints(row.score), time: row.score > 0 ? toRelative(row.lastMs) : null }
        : {
            num_solved: row.solved,
            total_time: ofMinute(row.penalty),
            time: row.solved > 0 ? ofMinute(row.lastMinute) : null,
          },
      problems: row.cells.map((cell, i) => ({
        problem_id: problems[i]!.publicId,
        num_judged: cell.finished,
        num_pending: cell.pending,
        ...(isIoi ? { score: toPoints(cell.score ?? 0) } : { solved: cell.isSolved }),
        ...(cell.solvedMs !== null && (isIoi || cell.isSolved) && { time: ofMinute(toMinute(cell.solvedMs)) }),
      })),
    })),
  }
}
