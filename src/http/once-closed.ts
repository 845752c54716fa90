/** Releases what was held for an answer, however it ends: a client that leaves must not keep it. */
import type { ServerResponse } from 'node:http'

/** Acts once the client has all of it, or has left: at once where that is past, since it is told one time only. */
export function onceClosed(raw: ServerResponse, act: () => void): void {
  if (raw.destroyed) act()
  else raw.once('close', act)
}
