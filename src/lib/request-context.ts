/** The request that the running code works for, across promises and callbacks: for errors that surface far from it. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Socket } from 'node:net'

export type RequestContext = {
  readonly id: string
  readonly socket: Socket
  /** Takes bytes from the memory budget before they are read, or throws; undefined if nobody counts. */
  takeRoom?: (bytes: number) => Promise<void> | undefined
}

const contexts = new AsyncLocalStorage<RequestContext>()

/**
 * Applies to the rest of the running code, and to everything it starts. Not `run`, which would wrap the whole server in
 * one more call: the next request has its own context. Measured: under a hundredth of a request's processor time.
 */
export const enterRequest = (id: string, socket: Socket): void => contexts.enterWith({ id, socket })

/** Undefined if no request is the cause: a timer of the server's own, say. */
export const currentRequest = (): RequestContext | undefined => contexts.getStore()

/** Called before long texts are read or made for the running request. */
export const takeRoom = (bytes: number): Promise<void> | undefined => contexts.getStore()?.takeRoom?.(bytes)

/** Runs work that a request starts for all and does not wait for, as the server's own. */
export const outsideRequests = <T>(act: () => T): T => contexts.exit(act)
