/** What may be there at once. No promise is made of it then, which is felt where each microsecond counts. */
export type Awaitable<T> = T | Promise<T>

export const whenKnown = <T, R>(value: Awaitable<T>, act: (value: T) => Awaitable<R>): Awaitable<R> =>
  value instanceof Promise ? value.then(act) : act(value)
