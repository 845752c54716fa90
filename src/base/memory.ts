/** Memory that a process took for its start alone. */
import { executionAsyncResource } from 'node:async_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Whoever waited for the start is served first. */
const restMs = 4_000

/**
 * Gives what the start left behind back to the system, some seconds later. V8 would keep it: loading the server fills 60 MB
 * of space for young objects, which shrinks only under pressure, and grows again with the load. What was compiled for the
 * start alone goes as well: V8 would keep it for six collections. It takes a fifth of a second, once.
 */
export function releaseStartMemory(): void {
  setTimeout(() => {
    setFlagsFromString('--expose-gc')
    const collect: NodeJS.GCFunction = runInNewContext('gc')
    // Node's compile cache counts for the same flags alone.
    setFlagsFromString('--no-expose-gc')
    setFlagsFromString('--bytecode-old-age=1')
    for (let times = 0; times < 3; times++) collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
    setFlagsFromString('--bytecode-old-age=6')
  }, restMs).unref()
}

const compilers = ['opt', 'maglev', 'sparkplug']

/**
 * Until the function it answers is called, V8 interprets: what runs once, at the start, gains nothing by being optimised, and
 * the compilers are 6 MB of Node's program that nobody would touch otherwise. Node's compile cache counts for the same flags
 * alone, so nothing should be loaded or written to it meanwhile.
 */
export function holdCompilers(): () => void {
  for (const name of compilers) setFlagsFromString(`--no-${name}`)
  return () => {
    for (const name of compilers) setFlagsFromString(`--${name}`)
  }
}

/**
 * Node makes an object for each tick. Once a collection has found none alive, V8 has lost their shape, and makes each by its
 * slowest way for the rest of the process: 1 µs more a tick (0.6 without), of which a request takes six. So the first one is
 * kept alive, from before the first thorough collection.
 */
export function keepTickShape(): void {
  process.nextTick(() => keptTicks.push(executionAsyncResource()))
}

const keptTicks: object[] = []
