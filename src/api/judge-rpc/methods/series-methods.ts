/** JSON-RPC methods of standings over several contests. */
import { Type } from 'typebox'
import type { ContestServices } from '../../../judge/contests/contest-services.ts'
import { mostSeriesContests, type SeriesRow, type SeriesRule } from '../../../judge/contests/series.ts'
import { toPoints } from '../../../lib/judging-rules/scoring/rules.ts'
import { defineMethod, invalidParams, type Method } from '../method.ts'
import { oneOf, PageParams, toPage, Uint64 } from '../shapes/basic-shapes.ts'
import { ContestID } from '../shapes/contest-shapes.ts'

const Points = Type.Number({ minimum: 0 })
const params = {
  ContestIDList: Type.Array(ContestID, { minItems: 1, maxItems: mostSeriesContests }),
  Rule: Type.Optional(oneOf(['sum', 'best'] as const)),
  BestCount: Type.Optional(Type.Integer({ minimum: 1, maximum: mostSeriesContests })),
  IsPublic: Type.Optional(Type.Boolean()),
}

function readRule({ Rule = 'sum', BestCount }: { Rule?: 'sum' | 'best'; BestCount?: number }): SeriesRule {
  if (Rule === 'sum') return { kind: 'sum' }
  if (BestCount === undefined) throw invalidParams([{ field: 'BestCount', reason: 'must say how many contests count' }])
  return { kind: 'best', count: BestCount }
}

const presentRow = (row: SeriesRow, isIoi: boolean) => ({
  Rank: row.rank,
  TeamID: row.teamId,
  Name: row.name,
  Points: isIoi ? toPoints(row.points) : row.points,
  Penalty: row.penalty,
  CellList: row.cells.map((cell) => ({
    ContestID: cell.contestId,
    Points: isIoi ? toPoints(cell.points) : cell.points,
    Penalty: cell.penalty,
    Rank: cell.rank,
    IsCounted: cell.isCounted,
  })),
})

export const seriesMethods = ({ series }: Pick<ContestServices, 'series'>): Method[] => [
  defineMethod({
    name: 'get_series_standings',
    summary: 'Standings over several contests: the sum of all, or of each team’s best.',
    isOpen: true,
    nullIsAbsent: true,
    params: Type.Object({ ...params, ...PageParams }),
    result: Type.Object({
      TotalTeamCount: Uint64,
      RowList: Type.Array(
        Type.Object({
          Rank: Uint64,
          TeamID: ContestID,
          Name: Type.String(),
          Points,
          Penalty: Type.Integer(),
          CellList: Type.Array(
            Type.Object({ ContestID, Points, Penalty: Type.Integer(), Rank: Uint64, IsCounted: Type.Boolean() }),
          ),
        }),
      ),
    }),
    async run({ actor }, { ContestIDList, IsPublic = false, ...given }) {
      const { style, rows } = await series.get(actor, ContestIDList, readRule(given), IsPublic)
      const { offset, limit } = toPage(given)
      const shown = rows.slice(offset, offset + limit)
      return { TotalTeamCount: rows.length, RowList: shown.map((row) => presentRow(row, style === 'ioi')) }
    },
  }),

  defineMethod({
    name: 'store_series_standings',
    summary: 'Stores such standings as a data set, or fills it anew where one of that name is there.',
    nullIsAbsent: true,
    params: Type.Object({
      ...params,
      Name: Type.String({ pattern: '^[a-z0-9A-Z](?:[a-z0-9A-Z-]{0,61}[a-z0-9A-Z])?$' }),
    }),
    result: Type.Object({ DatasetID: Type.String(), DatasetName: Type.String(), ItemCount: Uint64 }),
    async run({ actor }, { ContestIDList, IsPublic = false, Name, ...given }) {
      const made = await series.storeAsDataset(actor, ContestIDList, readRule(given), IsPublic, Name)
      return { DatasetID: made.datasetId, DatasetName: Name, ItemCount: made.itemCount }
    },
  }),
]
