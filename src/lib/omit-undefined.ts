/** Leaves out undefined members, so that changing some members changes no others. */

export type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

export const omitUndefined = <T extends object>(members: T): Defined<T> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<T>
