/** What was said of a thing: members that are undefined are left out, so that a change changes nothing else. */

export type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

export const given = <T extends object>(members: T): Given<T> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Given<T>
