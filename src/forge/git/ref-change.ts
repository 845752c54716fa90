/** A ref before and after a push; all zeros where there is none. */
export type RefChange = { readonly ref: string; readonly before: string; readonly after: string }
