/** A page of a list, with the length of the whole list. */
export type Page<T> = { readonly total: number; readonly items: readonly T[] }

export type PageRequest = {
  readonly offset: number
  readonly limit: number
  /** The items' texts are not needed: long ones are not read, and are null. */
  readonly withoutTexts?: boolean
}
