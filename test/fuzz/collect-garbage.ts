/** Loaded into the server that is shot at: on SIGUSR2 it collects its garbage, so that what is left is really held. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
process.on('SIGUSR2', () => collect())
