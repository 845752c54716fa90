/** A part of a payload: the members that one event has beside those that all have. */
import type { SignedIn } from '../../../accounts/actor.ts'
import { reachesRepository, tokenOf } from '../../../forge/access/need.ts'
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

/** Another repository that a payload shows: for those who may read it, and for an app where it is installed with it. */
export async function findShown({ forge, viewer }: PartContext, id: number): Promise<OpenRepository | undefined> {
  const found = await forge.opening.find(viewer, { id })
  if (!found || found.level === 'none') return undefined
  const token = tokenOf(viewer)
  return !token || !found.isPrivate || reachesRepository(token, found) ? found : undefined
}

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
