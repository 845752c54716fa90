/** JSON-RPC methods of the grade sheet. */
import { Type } from 'typebox'
import { type GradeSheets, mostProblems, sheetLayouts } from '../../../judge/results/grade-sheet.ts'
import { defineMethod, type Method } from '../method.ts'
import { oneOf, Uint64, Uuid } from '../shapes/basic-shapes.ts'

export const resultMethods = (gradeSheets: GradeSheets): Method[] => [
  defineMethod({
    name: 'create_grade_sheet',
    summary: 'Makes a data set of results, person by problem, or fills it anew where one of that name is there.',
    nullIsAbsent: true,
    params: Type.Object({
      DatasetName: Type.String({ pattern: '^[a-z0-9A-Z](?:[a-z0-9A-Z-]{0,61}[a-z0-9A-Z])?$' }),
      ProblemUUIDList: Type.Optional(Type.Array(Uuid, { minItems: 1, maxItems: mostProblems })),
      HasEveryContestant: Type.Optional(Type.Boolean()),
      Layout: Type.Optional(oneOf(sheetLayouts)),
    }),
    result: Type.Object({ DatasetID: Type.String(), DatasetName: Type.String(), ItemCount: Uint64 }),
    async run({ actor }, { DatasetName, ProblemUUIDList, HasEveryContestant = false, Layout = 'cells' }) {
      const { datasetId, itemCount } = await gradeSheets.make(actor, {
        datasetName: DatasetName,
        hasEveryContestant: HasEveryContestant,
        layout: Layout,
        ...(ProblemUUIDList && { problemUuids: ProblemUUIDList }),
      })
      return { DatasetID: datasetId, DatasetName, ItemCount: itemCount }
    },
  }),
]
