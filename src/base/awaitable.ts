/** A value, or the promise of one. Where the value is there, no promise is made: on the fastest reads its cost is measurable. */
export type Awaitable<T> = T | Promise<T>

export const whenKnown = <T, R>(value: Awaitable<T>, act: (value: T) => Awaitable<R>): Awaitable<R> =>
  value instanceof Promise ? value.then(act) : act(value)

/** The result of `act`, or of `otherwise` where `act` throws or rejects. */
export function recover<T>(act: () => Awaitable<T>, otherwise: (error: unknown) => Awaitable<T>): Awaitable<T> {
  try {
    const value = act()
    return value instanceof Promise ? value.catch(otherwise) : value
  } catch (error) {
    return otherwise(error)
  }
}
