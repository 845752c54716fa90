/** What the steps of the Monday share: forty students, their logins and passwords, and how they and their rows are found. */
import type { Locator, Page } from 'playwright-core'
import type { Json, RpcClient } from '../../../support/rpc.ts'
import { patience } from '../../hands.ts'
import { type ClassWorld, signInSam } from '../class-world.ts'

export const minute = 60_000

/** Two Davids, a script and a spreadsheet's formula among them. */
export const names = [
  'David Kim',
  'David Kim',
  '<img src=x onerror=window.pwned=1>',
  '=HYPERLINK("http://x")',
  ...Array.from({ length: 36 }, (_, at) => `Student ${String(at + 1).padStart(2, '0')}`),
]

/** The places of those in the roster who do something of their own. Nobody hears of the missing one. */
export const place = { wrong: 3, scored: 4, pushing: 5, original: 6, copied: 7, small: 8, right: 9 } as const
export const [missing, extended, late] = [37, 38, 39]

export type Monday = {
  readonly world: ClassWorld
  /** Filled when the roster has come in. */
  readonly slips: { login: string; password: string }[]
  /** The same students through the interface. */
  readonly students: RpcClient[]
}

/** On a phone, signed in with the password of the slip. */
export async function openStudent({ world: { stage }, slips }: Monday, at: number): Promise<Page> {
  const { page, context } = await stage.open({ width: 360, height: 740 })
  await context.request.post(`${stage.url}/`, {
    data: {
      jsonrpc: '2.0',
      id: crypto.randomUUID(),
      method: 'create_session',
      params: { AccountName: slips[at]!.login, Password: slips[at]!.password },
    },
  })
  return page
}

export async function readCell({ world, slips }: Monday, at: number, column: number): Promise<Json> {
  const sam = await signInSam(world)
  const { RowList } = await sam.call('get_sheet_results', { SheetID: world.sheetId })
  return RowList.find(({ AccountName }: Json) => AccountName === slips[at]!.login).CellList[column]
}

/** In the browser's zone, as a person would. */
export async function fillTime(page: Page, name: string, at: number): Promise<void> {
  const date = new Date(at)
  const local = new Date(at - date.getTimezoneOffset() * minute).toISOString().slice(0, 16)
  await page.getByLabel(name, { exact: true }).fill(local)
}

export async function openResults({ world: { stage, sheetId } }: Monday): Promise<Page> {
  const { page } = await stage.openAs('sam')
  await page.goto(`/-/sheets/${sheetId}/results`)
  await page.getByRole('row', { name: /Student 36/ }).waitFor({ timeout: patience })
  return page
}

/** Of a table of students, by their login. */
export const rowOf = (page: Page, login: string): Locator =>
  page.getByRole('row').filter({ has: page.getByText(login, { exact: true }) })
