/**
 * Node's runner follows every promise, in order to say in which test an error was thrown that nobody caught. That takes 2.5
 * microseconds with each await, a fifth of all that the tests take; without it such an error fails its file. All else it
 * must follow: that is how it knows which suite a test or a hook belongs to.
 */
import asyncHooks from 'node:async_hooks'

const { createHook } = asyncHooks
// The runner takes the function when it is loaded.
asyncHooks.createHook = (callbacks) => createHook({ ...callbacks, trackPromises: false } as typeof callbacks)
await import('node:test')
asyncHooks.createHook = createHook
