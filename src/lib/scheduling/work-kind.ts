/**
 * The kind of work that the running code does, across promises. Kinds share the database's connections fairly, so that
 * a crowd of one kind does not delay the others.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * `sign-in`: finding the caller of a request. `judging`: claims and reports of executors. `feeds`: what event feeds
 * read.
 */
export type WorkKind = 'sign-in' | 'judging' | 'feeds' | 'other'

const kinds = new AsyncLocalStorage<WorkKind>()

/** Applies to everything that the act starts. */
export const runAs = <T>(kind: WorkKind, act: () => T): T => kinds.run(kind, act)

export const currentKind = (): WorkKind => kinds.getStore() ?? 'other'
