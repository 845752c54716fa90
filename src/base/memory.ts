/** Memory that a process took for its start alone. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Gives what the start left behind back to the system. V8 would keep it: loading the server fills 60 MB of space for
 * young objects, which shrinks only under pressure, and grows again with the load. What was compiled for the start alone
 * goes as well: V8 would keep it for six collections. It takes a fifth of a second, once.
 */
export function releaseStartMemory(): void {
  setFlagsFromString('--expose-gc')
  const collect: NodeJS.GCFunction = runInNewContext('gc')
  // Node's compile cache counts for the same flags alone.
  setFlagsFromString('--no-expose-gc')
  setFlagsFromString('--bytecode-old-age=1')
  for (let times = 0; times < 3; times++) collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  setFlagsFromString('--bytecode-old-age=6')
}
