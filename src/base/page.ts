/** A slice of a longer list, with how long that list is. */
export type Page<T> = { readonly total: number; readonly items: readonly T[] }

export type PageRequest = { readonly offset: number; readonly limit: number }
