/** Notifications at size: polls that find nothing, a page of a long inbox, and a comment that very many watch. */
import { fanOut } from './notifications/fan-out.ts'
import { longInbox } from './notifications/long-inbox.ts'
import { polls } from './notifications/polls.ts'
import type { Row } from './table.ts'

export const bench = async (): Promise<Row[]> => [...(await fanOut()), ...(await longInbox()), ...(await polls())]
