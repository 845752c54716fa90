/** The sheets of one's classes in which a problem gives points, and when each is due. */
import type { Class, Sheet } from '../api/classes.ts'
import { call, callAll } from '../api/rpc.ts'
import { type Loaded, useLoad } from '../app/load.ts'
import { useSession } from '../app/session.ts'
import { dueTimeOf } from '../teach/sheets/sheet-times.ts'

export type PlacedProblem = {
  readonly sheetId: number
  readonly title: string
  readonly points: number
  readonly due: number | null
  readonly lateUntil: number | null
}

/** A request takes a hundred calls. */
const mostClasses = 100

async function readPlaces(login: string): Promise<ReadonlyMap<string, readonly PlacedProblem[]>> {
  const { ClassList } = await call('get_class_list', {})
  const isShown = ({ IsArchived, TeacherList }: Class) => !IsArchived && !TeacherList.includes(login)
  const attended = ClassList.filter(isShown).slice(0, mostClasses)
  const lists = await callAll(attended.map(({ ID }) => ['get_sheet_list', { ClassID: ID }] as const))
  const places = new Map<string, PlacedProblem[]>()
  for (const { result } of lists)
    for (const sheet of (result as { SheetList: readonly Sheet[] } | undefined)?.SheetList ?? [])
      for (const { UUID, Points } of sheet.ProblemList) {
        const due = dueTimeOf(sheet, login)
        const place = { sheetId: sheet.ID, title: sheet.Title, points: Points, due, lateUntil: sheet.LateUntil }
        places.set(UUID, [...(places.get(UUID) ?? []), place])
      }
  return places
}

export function useOwnSheets(): Loaded<ReadonlyMap<string, readonly PlacedProblem[]>> {
  const login = useSession().account!.AccountName
  return useLoad('places of problems', () => readPlaces(login))
}
