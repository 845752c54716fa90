/** The order of service: of those who wait, whoever was served longest ago is next. */

export type ServiceOrder<Owner> = {
  /** A number that grows with each service; -1 for whoever was not served yet. */
  servedAt(owner: Owner): number
  remember(owner: Owner): void
}

/** So many are remembered; the oldest are then as good as new. */
const mostOwners = 1_000

export function makeServiceOrder<Owner>(): ServiceOrder<Owner> {
  const services = new Map<Owner, number>() // in order of service, the oldest first
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
