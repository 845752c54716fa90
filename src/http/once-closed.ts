/** Releases what was held for an answer, however it ends: a client that leaves must not keep it. */
import type { ServerResponse } from 'node:http'

/** Acts once the client has the whole answer or has left; at once if it already has: the event comes only once. */
export function onceClosed(raw: ServerResponse, act: () => void): void {
  if (raw.destroyed) act()
  else raw.once('close', act)
}
