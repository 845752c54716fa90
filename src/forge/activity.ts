/** Activity: what happened, told inside the transaction that made it happen. Threads and events are made of it. */
import type { Db } from '../store/schema/schema.ts'
import type { Level } from './access/level.ts'
import type { Repository } from './access/repository.ts'
import type { Person } from './person.ts'

/** A ref before and after; all zeros where there is none. */
export type RefChange = { readonly ref: string; readonly before: string; readonly after: string }

export type Activity =
  | {
      readonly kind: 'push'
      readonly repository: Repository
      readonly pusher: number
      readonly pushId: number
      readonly changes: readonly RefChange[]
    }
  | {
      readonly kind: 'repository-invitation'
      readonly repository: Repository
      readonly inviter: Person
      readonly invitee: Person
      readonly invitationId: number
      readonly level: Level
    }
  | { readonly kind: 'repository-deletion'; readonly repository: Repository }

export type ActivityListener = (trx: Db, activity: Activity) => Promise<void>

export type ActivityBoard = {
  /** The listener's writes are part of the act: where they fail, it did not happen. */
  listen(listener: ActivityListener): void
  tell(trx: Db, activity: Activity): Promise<void>
}

export function makeActivityBoard(): ActivityBoard {
  const listeners: ActivityListener[] = []
  return {
    listen: (listener) => void listeners.push(listener),
    async tell(trx, activity) {
      for (const listener of listeners) await listener(trx, activity)
    },
  }
}
