/**
 * Live updates: one stream of the server says which submissions changed, and the page reads them anew. Where the stream
 * breaks, the page asks from time to time. Nothing is open while there is nothing to wait for or nobody looks.
 */
type Listener = () => void

const watched = new Map<number, Set<Listener>>()
/** Who looks at a list wants to know of all. */
const watchers = new Set<Listener>()
let source: EventSource | undefined
let openFor = ''
let polling: ReturnType<typeof setInterval> | undefined
let planned = false
let reopening: ReturnType<typeof setTimeout> | undefined
const pollMs = 2_000
const reopenMs = 30_000

/** Calls `listener` whenever this submission may have changed, until the function it answers is called. */
export function watchSubmission(id: number, listener: Listener): () => void {
  const own = watched.get(id) ?? new Set<Listener>()
  own.add(listener)
  watched.set(id, own)
  plan()
  return () => {
    own.delete(listener)
    if (own.size === 0) watched.delete(id)
    plan()
  }
}

export function watchAll(listener: Listener): () => void {
  watchers.add(listener)
  plan()
  return () => {
    watchers.delete(listener)
    plan()
  }
}

/** Views come and go together: the stream is opened once for all of them. */
function plan(): void {
  if (planned) return
  planned = true
  queueMicrotask(() => {
    planned = false
    adjust()
  })
}

function adjust(): void {
  const isWanted = (watched.size > 0 || watchers.size > 0) && document.visibilityState === 'visible'
  const ids = watchers.size > 0 || watched.size > 100 ? '' : [...watched.keys()].sort((a, b) => a - b).join(',')
  const address = isWanted ? `/-/live${ids && `?submissions=${ids}`}` : ''
  if (address === openFor) return
  openFor = address
  source?.close()
  source = undefined
  stopPolling()
  stopReopening()
  if (address) open(address)
}

function open(address: string): void {
  stopReopening()
  source = new EventSource(address)
  // What happened before it was open, or while it was away, is looked for at once.
  source.addEventListener('open', () => {
    stopPolling()
    tellAll()
  })
  source.addEventListener('submission', (event) => tell((JSON.parse(event.data) as { ID: number }).ID))
  source.addEventListener('resync', tellAll)
  source.addEventListener('error', () => {
    polling ??= setInterval(tellAll, pollMs)
    // A browser comes again by itself after a break, but not after a refusal.
    if (source?.readyState === EventSource.CLOSED) reopening ??= setTimeout(() => open(address), reopenMs)
  })
}

function stopReopening(): void {
  clearTimeout(reopening)
  reopening = undefined
}

function stopPolling(): void {
  clearInterval(polling)
  polling = undefined
}

function tell(id: number): void {
  for (const listener of [...(watched.get(id) ?? []), ...watchers]) listener()
}

function tellAll(): void {
  for (const listener of [...[...watched.values()].flatMap((own) => [...own]), ...watchers]) listener()
}

document.addEventListener('visibilitychange', plan)
