/** The order of service: of those waiting, the one served longest ago is next. */

export type ServiceOrder<Owner> = {
  /** A number that grows with each service; -1 if not served yet. */
  servedAt(owner: Owner): number
  remember(owner: Owner): void
}

/** How many are remembered; the oldest then count as new. */
const mostOwners = 1_000

export function makeServiceOrder<Owner>(): ServiceOrder<Owner> {
  const services = new Map<Owner, number>() // in order of service, oldest first
  let served = 0
  return {
    servedAt: (owner) => services.get(owner) ?? -1,
    remember(owner) {
      services.delete(owner)
      services.set(owner, served++)
      if (services.size > mostOwners) services.delete(services.keys().next().value!)
    },
  }
}
