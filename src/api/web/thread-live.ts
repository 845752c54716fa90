/**
 * Hints that an issue or a pull changed, on the stream of live updates: to those who watch it or its repository and may
 * read it at that moment. They contain only its id: the page reads the changes with the usual access checks.
 */
import type { Readable } from 'node:stream'
import type { SignedIn } from '../../accounts/actor.ts'
import type { Log } from '../../lib/log.ts'

type Change = { readonly repositoryId: number; readonly issueId: number | undefined }

export type ThreadChanges = {
  /** Undefined if some changes may have been missed. */
  onChange(listener: (change: Change | undefined) => void): () => void
  mayWatch(actor: SignedIn, repositoryId: number): Promise<boolean>
}

export type Watched = { readonly issues: ReadonlySet<number>; readonly repositories: ReadonlySet<number> }
type Watcher = Watched & { readonly actor: SignedIn; readonly output: Readable }

/** Changes in quick succession are reported together, at this interval. */
const togetherMs = 100
/** More changes than this become one hint to reload everything. */
const mostPending = 2_000
/** A client that leaves this much unread is disconnected. */
const mostUnreadBytes = 64 * 1024

export function makeThreadLive({ onChange, mayWatch, log }: ThreadChanges & { readonly log: Log }) {
  const watchers = new Set<Watcher>()
  const pending = new Map<string, Change>()
  let timer: NodeJS.Timeout | undefined
  let sending: Promise<void> = Promise.resolve()

  function resyncAll(): void {
    for (const { output } of watchers) push(output, 'event: resync\ndata: {}\n\n')
  }

  const stopListening = onChange((change) => {
    if (watchers.size === 0) return
    if (!change || pending.size >= mostPending) {
      pending.clear()
      resyncAll()
      return
    }
    pending.set(`${change.repositoryId}:${change.issueId}`, change)
    timer ??= setTimeout(() => {
      timer = undefined
      const changes = [...pending.values()]
      pending.clear()
      sending = sending
        .then(() => sendAll(changes))
        .catch((error) => {
          log.warn({ err: error }, 'pages look at everything again: whom a change concerns could not be found out')
          resyncAll()
        })
    }, togetherMs).unref()
  })

  /** Sends each watcher, per repository, its issues that changed, and that something in it did. */
  async function sendAll(changes: readonly Change[]): Promise<void> {
    const byRepository = Map.groupBy(changes, ({ repositoryId }) => repositoryId)
    for (const watcher of [...watchers])
      for (const [repositoryId, own] of byRepository) {
        const text = own.map((change) => writeHint(watcher, change)).join('')
        if (text !== '' && (await mayWatch(watcher.actor, repositoryId))) push(watcher.output, text)
      }
  }

  return {
    watch(actor: SignedIn, output: Readable, watched: Watched): void {
      const watcher = { ...watched, actor, output }
      watchers.add(watcher)
      output.once('close', () => watchers.delete(watcher))
    },
    close(): void {
      clearTimeout(timer)
      stopListening()
    },
  }
}

/** A change that several issues show has no issue id, so only watchers of the repository get it. */
function writeHint({ issues, repositories }: Watched, { repositoryId, issueId }: Change): string {
  const ofIssue = issueId !== undefined && issues.has(issueId) ? `event: issue\ndata: {"ID":${issueId}}\n\n` : ''
  const ofAll = repositories.has(repositoryId) ? `event: repository\ndata: {"ID":${repositoryId}}\n\n` : ''
  return ofIssue + ofAll
}

function push(output: Readable, text: string): void {
  if (output.destroyed || output.readableEnded) return
  if (output.readableLength > mostUnreadBytes) output.destroy()
  else output.push(text)
}
