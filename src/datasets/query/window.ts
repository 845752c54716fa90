/** The part of a slice's selected items that belongs to the page: skip some, then take some. */
export type Window = { readonly skip: number; readonly take: number }
