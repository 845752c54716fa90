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
  /** Null: every language. */
  readonly languages: readonly string[] | null
}

/** A request takes a hundred calls. */
const mostClasses = 100

async function readPlaces(login: string): Promise<ReadonlyMap<string, readonly PlacedProblem[]>> {
  const { ClassList } = await call('get_class_list', {})
  const isShown = ({ IsArchived, TeacherList }: Class) => !IsArchived && !TeacherList.includes(login)
  const attended = ClassList.filter(isShown).slice(0, mostClasses)
  const lists = await callAll(attended.map(({ ID }) => ['get_sheet_list', { ClassID: ID }] as const))
  const places = new Map<string, PlacedProblem[]>()
  for (const [at, { result }] of lists.entries())
    for (const sheet of (result as { SheetList: readonly Sheet[] } | undefined)?.SheetList ?? [])
      for (const { UUID, Points } of sheet.ProblemList) {
        const due = dueTimeOf(sheet, login)
        const { ID: sheetId, Title: title, LateUntil: lateUntil } = sheet
        const languages = attended[at]!.IsInvited ? null : sheet.LanguageList
        const place = { sheetId, title, points: Points, due, lateUntil, languages }
        places.set(UUID, [...(places.get(UUID) ?? []), place])
      }
  return places
}

export function useOwnSheets(): Loaded<ReadonlyMap<string, readonly PlacedProblem[]>> {
  const login = useSession().account!.AccountName
  return useLoad('places of problems', () => readPlaces(login))
}

const isRunning = ({ due, lateUntil }: PlacedProblem, now: number): boolean =>
  due === null || now <= Math.max(due, lateUntil ?? due)

/** The languages that the running sheets of a problem take: it is enough that one of them does. Undefined: all. */
export function listTaken(places: readonly PlacedProblem[], now: number): readonly string[] | undefined {
  const running = places.filter((place) => isRunning(place, now))
  const lists = running.flatMap(({ languages }) => (languages ? [languages] : []))
  return running.length === 0 || lists.length < running.length ? undefined : [...new Set(lists.flat())]
}
