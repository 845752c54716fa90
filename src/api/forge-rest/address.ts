/** A route's address: its method and path, and the types of the params that its path names. */

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'

/** Such as `GET /repos/:owner/:repo`. */
export type Address = `${Method} /${string}`

/**
 * The names in an address: `:name`, and `*` for the rest. A repository's own are left to the door, which also opens it
 * by id.
 */
type Names<A extends string> = A extends `${Method} /repos/:owner/:repo${infer Rest}` ? NamesOf<Rest> : NamesOf<A>
type NamesOf<P extends string> = P extends `${infer Step}/${infer Rest}` ? NameOf<Step> | NamesOf<Rest> : NameOf<P>
type NameOf<Step extends string> = Step extends `:${infer Name}` ? Name : Step extends '*' ? '*' : never

export type Params<A extends string = string> = string extends A
  ? Readonly<Record<string, string | undefined>>
  : { readonly [Name in Names<A>]: string }
