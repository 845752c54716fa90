/**
 * Live updates: one stream of the server says which submissions, issues and pulls changed, and that the inbox did, and the page
 * reads them anew.
 * Where the stream breaks, the page asks from time to time. Nothing is open while there is nothing to wait for or nobody looks.
 */
type Listener = () => void

const watched = new Map<number, Set<Listener>>()
/** Lists subscribe to all. */
const watchers = new Set<Listener>()
const inboxWatchers = new Set<Listener>()
/** Watched issues and pulls, and repositories whose lists are shown. */
const threads = { issues: new Map<number, Set<Listener>>(), repositories: new Map<number, Set<Listener>>() }
let source: EventSource | undefined
let openFor = ''
let polling: ReturnType<typeof setInterval> | undefined
let planned = false
let reopening: ReturnType<typeof setTimeout> | undefined
const pollMs = 2_000
/** Updates that are not urgent. */
const inboxPollMs = 60_000
const threadPollMs = 10_000
/** Ids that the server takes of each kind. */
const mostNamed = 100
const reopenMs = 30_000

/** Calls `listener` whenever this submission may have changed, until the function it answers is called. */
export const watchSubmission = (id: number, listener: Listener): (() => void) => watchOne(watched, id, listener)

/** An issue or a pull, by its id. */
export const watchIssue = (id: number, listener: Listener): (() => void) => watchOne(threads.issues, id, listener)

/** Any issue or pull of a repository, and what several of them show. */
export const watchRepository = (id: number, listener: Listener): (() => void) =>
  watchOne(threads.repositories, id, listener)

function watchOne(all: Map<number, Set<Listener>>, id: number, listener: Listener): () => void {
  const own = all.get(id) ?? new Set<Listener>()
  own.add(listener)
  all.set(id, own)
  plan()
  return () => {
    own.delete(listener)
    if (own.size === 0) all.delete(id)
    plan()
  }
}

export const watchAll = (listener: Listener): (() => void) => watchIn(watchers, listener)

/** Calls `listener` whenever one's own inbox may have changed. */
export const watchInbox = (listener: Listener): (() => void) => watchIn(inboxWatchers, listener)

function watchIn(set: Set<Listener>, listener: Listener): () => void {
  set.add(listener)
  plan()
  return () => {
    set.delete(listener)
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
  const hasSubmissions = watched.size > 0 || watchers.size > 0
  const ids = watchers.size > 0 || watched.size > mostNamed ? '' : nameIds(watched)
  const words = [
    ...(hasSubmissions ? [`submissions=${ids}`] : []),
    ...(inboxWatchers.size > 0 ? ['inbox'] : []),
    ...(threads.issues.size > 0 ? [`issues=${nameIds(threads.issues)}`] : []),
    ...(threads.repositories.size > 0 ? [`repositories=${nameIds(threads.repositories)}`] : []),
  ]
  const isWanted = words.length > 0 && document.visibilityState === 'visible'
  const address = isWanted ? `/-/live?${words.join('&')}` : ''
  if (address === openFor) return
  openFor = address
  source?.close()
  source = undefined
  stopPolling()
  stopReopening()
  if (address) open(address)
}

const nameIds = (of: ReadonlyMap<number, unknown>): string =>
  [...of.keys()]
    .sort((a, b) => a - b)
    .slice(0, mostNamed)
    .join(',')

function open(address: string): void {
  stopReopening()
  source = new EventSource(address)
  // Changes before the stream opened, or during a break, are read immediately.
  source.addEventListener('open', () => {
    stopPolling()
    tellAll()
  })
  source.addEventListener('submission', (event) => tell((JSON.parse(event.data) as { ID: number }).ID))
  source.addEventListener('inbox', tellOfInbox)
  for (const [name, all] of [['issue', threads.issues] as const, ['repository', threads.repositories] as const])
    source.addEventListener(name, (event) => tellOf(all, (JSON.parse(event.data) as { ID: number }).ID))
  source.addEventListener('resync', tellAll)
  source.addEventListener('error', () => {
    polling ??= setInterval(tellAll, pollMsOf(address))
    // The browser reconnects after a break, but not after a refusal.
    if (source?.readyState === EventSource.CLOSED) reopening ??= setTimeout(() => open(address), reopenMs)
  })
}

function pollMsOf(address: string): number {
  if (address.includes('submissions')) return pollMs
  return address.includes('issues') || address.includes('repositories') ? threadPollMs : inboxPollMs
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

function tellOf(all: ReadonlyMap<number, ReadonlySet<Listener>>, id: number): void {
  for (const listener of [...(all.get(id) ?? [])]) listener()
}

function tellAll(): void {
  for (const all of [threads.issues, threads.repositories]) for (const id of [...all.keys()]) tellOf(all, id)
  for (const listener of [...[...watched.values()].flatMap((own) => [...own]), ...watchers]) listener()
  tellOfInbox()
}

function tellOfInbox(): void {
  for (const listener of [...inboxWatchers]) listener()
}

document.addEventListener('visibilitychange', plan)
