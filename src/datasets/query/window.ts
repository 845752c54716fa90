/** Of the items that a query selects in a slice, those that belong to its page: the first ones are passed over, and then so many taken. */
export type Window = { readonly skip: number; readonly take: number }
