/** Which request the running code works for, however many promises and callbacks lie between: for what fails far from it. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Socket } from 'node:net'

export type RequestContext = { readonly id: string; readonly socket: Socket }

const contexts = new AsyncLocalStorage<RequestContext>()

/**
 * For the rest of what runs now, and for all that it starts. Not `run`, which would wrap the whole server in one more call:
 * the next request has a context of its own. Measured: under a hundredth of a request's processor time.
 */
export const enterRequest = (id: string, socket: Socket): void => contexts.enterWith({ id, socket })

/** Undefined where no request is the reason: a timer of the server's own, say. */
export const currentRequest = (): RequestContext | undefined => contexts.getStore()
