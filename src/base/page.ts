/** A page of a list, with the length of the whole list. */
export type Page<T> = { readonly total: number; readonly items: readonly T[] }

export type PageRequest = { readonly offset: number; readonly limit: number }
