/** A page of a list, with the length of the whole list. */
export type Page<T> = { readonly total: number; readonly items: readonly T[] }

export type PageRequest = {
  readonly offset: number
  readonly limit: number
  /** Nobody asks for the texts of its items: long ones are not read, and stand as null. */
  readonly withoutTexts?: boolean
}
