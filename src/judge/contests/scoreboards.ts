/**
 * Scoreboards as a reader may see them: frozen for the public and the teams until the thaw, both editions for the jury.
 */
import type { Actor } from '../../accounts/actor.ts'
import type { Clock } from '../../lib/clock.ts'
import { demand } from '../../lib/failure.ts'
import { frozenSince, stateOf } from '../contest-access/contest.ts'
import type { Standing } from '../contest-access/contest-access.ts'
import { type Award, listAwards } from './board/awards.ts'
import type { BoardReader, BoardReaders } from './board/board-readers.ts'
import type { Boards, BuiltBoard, Rendered } from './board/boards.ts'
import { rankRows } from './board/ranking.ts'
import { editions } from './board/recomputing.ts'
import { unknownContest } from './contest-doors.ts'
import { unknownPart } from './contest-parts.ts'

export type BoardWish = { readonly isPublic: boolean; readonly groupId: string | undefined }

/** `key` distinguishes boards of one version. */
export type ShownBoard = { readonly board: BuiltBoard; readonly rows: BuiltBoard['rows']; readonly key: string }

export type Scoreboards = ReturnType<typeof makeScoreboards>

type Needs = { readers: BoardReaders; boards: Boards; clock: Clock }

export function makeScoreboards({ readers, boards, clock }: Needs) {
  async function readFor(reader: BoardReader, { isPublic, groupId }: BoardWish): Promise<ShownBoard> {
    const { contest, isJury } = reader
    const isShown = isJury || !contest.boardIsHidden
    demand(isShown, 'not-found', 'board-hidden', 'Only the jury of this contest can see its scoreboard.')
    const board = await boards.read(contest.id, isJury && !isPublic ? editions.jury : editions.public)
    if (!board) throw unknownContest(contest.publicId)
    const state = `${stateOf(board.contest, clock.now())} ${frozenSince(board.contest, clock.now()) !== null}`
    if (groupId === undefined) return { board, rows: board.rows, key: state }
    if (!board.groups.some(({ id }) => id === groupId)) throw unknownPart('group', groupId)
    const own = board.rows.filter(({ team }) => team.groupIds.includes(groupId))
    return { board, rows: rankRows(own, contest.style), key: `${state} ${groupId}` }
  }

  async function readAwards({ contest, isJury }: Standing): Promise<(Rendered & { sequence: number }) | undefined> {
    if (contest.boardIsHidden && !isJury) return undefined
    const board = await boards.read(contest.id, isJury ? editions.jury : editions.public)
    if (!board) return undefined
    const make = () => JSON.stringify(listAwards(board.contest, board.groups, board))
    return { ...board.render('awards', make), sequence: board.contest.sequence }
  }

  return {
    readFor,
    findReader: readers.find,
    now: clock.now,

    get: async (actor: Actor, contestId: string, wish: BoardWish): Promise<ShownBoard> =>
      readFor(await readers.find(actor, contestId), wish),

    /** From the edition of the board that the reader may see. */
    async listAwards(standing: Standing): Promise<Award[]> {
      const found = await readAwards(standing)
      return found ? JSON.parse(found.bytes.toString()) : []
    },

    /** The same, made once per version of the board, with the number of the last event included in it. */
    readAwards,

    async close(): Promise<void> {
      await readers.close()
      await boards.close()
    },
  }
}
