/** A route's address: its method and path, and the types of the params that its path names. */

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'

/** `GET /repos/:owner/:repo`. */
export type Address = `${Method} /${string}`

/** The names in an address: `:name`, and `*` for all that is left. A repository's own are the door's: it is opened by its id as well. */
type Names<A extends string> = A extends `${Method} /repos/:owner/:repo${infer Rest}` ? NamesOf<Rest> : NamesOf<A>
type NamesOf<P extends string> = P extends `${infer Step}/${infer Rest}` ? NameOf<Step> | NamesOf<Rest> : NameOf<P>
type NameOf<Step extends string> = Step extends `:${infer Name}` ? Name : Step extends '*' ? '*' : never

export type Params<A extends string = string> = string extends A
  ? Readonly<Record<string, string | undefined>>
  : { readonly [Name in Names<A>]: string }
