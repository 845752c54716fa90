/** A part of a payload: the members that one event has beside those that all have. */
import type { SignedIn } from '../../../accounts/actor.ts'
import type { OpenRepository } from '../../../forge/access/repository.ts'
import type { Forge } from '../../../forge/forge.ts'
import type { Person } from '../../../forge/person.ts'
import type { HookSource } from '../../../forge/webhooks/hook-event.ts'
import type { Webhook } from '../../../forge/webhooks/webhook.ts'
import { presentListedRepository } from '../repositories/present-repository.ts'
import type { View } from '../view.ts'

export type PartContext = {
  readonly forge: Forge
  readonly viewer: SignedIn
  readonly view: View
  readonly action: string | null
  readonly source: HookSource
  readonly hook: Webhook
  /** Where it happened; for events of repositories it is there. */
  readonly repository: OpenRepository
  readonly sender: Person
}

/** The members of an event's payload beside those that all have. */
export type Part = (context: PartContext) => Promise<object | undefined>

/** What the act kept of a thing that is not read any more, with its times as times. */
export function revive<T>(gone: object): T {
  return JSON.parse(JSON.stringify(gone), (key, value) =>
    /(?:At|On)$/.test(key) && typeof value === 'string' ? new Date(value) : value,
  )
}

export const presentHookRepository = (repository: OpenRepository, view: View) => ({
  ...presentListedRepository(repository, view),
  custom_properties: {},
})
