/** What may be there at once. No promise is made of it then, which is felt where each microsecond counts. */
export type Awaitable<T> = T | Promise<T>

export const whenKnown = <T, R>(value: Awaitable<T>, act: (value: T) => Awaitable<R>): Awaitable<R> =>
  value instanceof Promise ? value.then(act) : act(value)

/** What `act` comes to, or, where it fails, at once or later, what `otherwise` makes of that. */
export function recover<T>(act: () => Awaitable<T>, otherwise: (error: unknown) => Awaitable<T>): Awaitable<T> {
  try {
    const value = act()
    return value instanceof Promise ? value.catch(otherwise) : value
  } catch (error) {
    return otherwise(error)
  }
}
