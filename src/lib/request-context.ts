/** The request that the running code works for, across promises and callbacks: for errors that surface far from it. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Socket } from 'node:net'

export type RequestContext = {
  readonly id: string
  readonly socket: Socket
  /** Takes so many bytes out of the budget of memory before they are read, or refuses; undefined where nobody counts. */
  takeRoom?: (bytes: number) => Promise<void> | undefined
}

const contexts = new AsyncLocalStorage<RequestContext>()

/**
 * For the rest of what runs now, and for all that it starts. Not `run`, which would wrap the whole server in one more call:
 * the next request has a context of its own. Measured: under a hundredth of a request's processor time.
 */
export const enterRequest = (id: string, socket: Socket): void => contexts.enterWith({ id, socket })

/** Undefined where no request is the reason: a timer of the server's own, say. */
export const currentRequest = (): RequestContext | undefined => contexts.getStore()

/** Asked before long texts are read or made for the running request. */
export const takeRoom = (bytes: number): Promise<void> | undefined => contexts.getStore()?.takeRoom?.(bytes)

/** For what a request sets going and does not wait for, on behalf of all: it is the server's own. */
export const outsideRequests = <T>(act: () => T): T => contexts.exit(act)
