/**
 * The server starts from Node's compile cache, in which our TypeScript is stripped of its types already. Whoever strips
 * them loads a compiler of 25 MB, and Node never lets go of it: a process that had to becomes a fresh one, which finds
 * everything in the cache.
 */
import { flushCompileCache, getCompileCacheDir } from 'node:module'
import { join } from 'node:path'

/** It tells a fresh process that it is one: a cache that can't be kept must not have it start for ever. */
const mark = '_GUILDHALL_FRESH'

const folder = join(import.meta.dirname, '..', 'node_modules', '.cache', 'node')

/** Imports what `load` does, from the cache. What a process beside this one will import is put there as well. */
export async function loadFromCache<T>(load: () => Promise<T>, loadBeside: () => Promise<unknown>): Promise<T> {
  const { NODE_COMPILE_CACHE, NODE_DISABLE_COMPILE_CACHE } = process.env
  const isFresh = process.env[mark] !== undefined
  delete process.env[mark]
  if (!NODE_COMPILE_CACHE && !NODE_DISABLE_COMPILE_CACHE) becomeFresh({ NODE_COMPILE_CACHE: folder })
  const loaded = await load()
  if (isFresh || !hasStripped() || !getCompileCacheDir()) return loaded
  await loadBeside()
  flushCompileCache()
  becomeFresh({ [mark]: '1' })
  return loaded
}

/** Answers only where a process can't become another one, or where who started it would no longer be heard. */
function becomeFresh(more: NodeJS.ProcessEnv): void {
  const isHeard = process.channel === undefined || process.env.npm_lifecycle_event !== undefined
  if (process.platform === 'win32' || !process.execve || !isHeard) return
  process.execve(process.execPath, [process.execPath, ...process.execArgv, ...process.argv.slice(1)], {
    ...process.env,
    ...more,
  })
}

function hasStripped(): boolean {
  const { moduleLoadList } = process as { moduleLoadList?: readonly string[] }
  return moduleLoadList?.includes('NativeModule internal/deps/amaro/dist/index') ?? false
}
