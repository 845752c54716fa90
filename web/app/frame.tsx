/** The frame: the bar on top, and below it the view of the present address. */
import { Component, type ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { NotFound } from '../parts/not-found.tsx'
import { Loading, Problem } from '../parts/state.tsx'
import { SearchOpener } from '../search/opener.tsx'
import { go, settleScroll, usePlace } from './location.ts'
import { findRoute, type Match } from './routes.ts'
import { isAdmin, signOut, useSession } from './session.ts'
import { followUnread, useUnread } from './unread.ts'
import type { View } from './view.ts'

export function Frame() {
  const { path } = usePlace()
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <div class="bar-ground">
        <Bar path={path} />
      </div>
      <main id="main">
        <Outlet path={path} />
      </main>
    </>
  )
}

type Link = readonly [href: string, text: string, isHere: boolean]

function Bar({ path }: { path: string }) {
  const session = useSession()
  const { account } = session
  const accountId = account?.ID
  const unread = useUnread()
  useEffect(() => (accountId === undefined ? undefined : followUnread()), [accountId])
  const [isOpen, setOpen] = useState(false)
  // The menu closes after a choice or when the focus leaves it.
  useEffect(() => setOpen(false), [path])
  useEffect(() => {
    if (!isOpen) return
    const close = (event: KeyboardEvent) => event.key === 'Escape' && setOpen(false)
    document.addEventListener('keydown', close)
    return () => document.removeEventListener('keydown', close)
  }, [isOpen])
  const links: Link[] = [
    ['/-/judge', 'Problems', path === '/-/judge' || path.startsWith('/-/judge/problems')],
    ['/-/judge/submissions', 'Submissions', path.startsWith('/-/judge/submissions')],
    ['/-/contests', 'Contests', path.startsWith('/-/contests')],
    ...only(account !== undefined, ['/-/classes', 'Classes', isOfClasses(path)]),
    ['/-/repositories', 'Repositories', path === '/-/repositories' || !path.startsWith('/-/')],
    ...only(account !== undefined, ['/-/inbox', 'Inbox', path.startsWith('/-/inbox')]),
    ['/-/datasets', 'Data sets', path.startsWith('/-/datasets')],
    ['/-/docs', 'Documents', path.startsWith('/-/docs')],
    ...only(isAdmin(session), ['/-/admin/accounts', 'Admin', path.startsWith('/-/admin')]),
  ]
  return (
    <header class="bar">
      <a class="brand" href="/-/">
        <img src="/-/assets/icon.svg" alt="" width="24" height="24" />
        Guildhall
      </a>
      <nav id="menu" aria-label="Main" class={isOpen ? 'open' : undefined}>
        {links.map(([href, text, isHere]) => (
          <a key={href} href={href} {...(isHere && { 'aria-current': 'page' as const })}>
            {text}
            {href === '/-/inbox' && unread > 0 && (
              <span class="unread-count">
                {unread > 99 ? '99+' : unread}
                <span class="hidden-text"> unread</span>
              </span>
            )}
          </a>
        ))}
        {account && (
          <button type="button" class="button quiet menu-only" onClick={() => void leave()}>
            Sign out
          </button>
        )}
      </nav>
      <SearchOpener />
      <div class="who">
        {account ? (
          <>
            <a href="/-/account">{account.DisplayName}</a>
            <button type="button" class="button quiet tight roomy-bar" onClick={() => void leave()}>
              Sign out
            </button>
          </>
        ) : (
          <a href={path.startsWith('/-/sign-') ? '/-/sign-in' : `/-/sign-in?to=${encodeURIComponent(path)}`}>Sign in</a>
        )}
      </div>
      <button
        type="button"
        class="button tight menu-button"
        aria-expanded={isOpen}
        aria-controls="menu"
        onClick={() => setOpen(!isOpen)}
      >
        Menu
      </button>
    </header>
  )
}

const isOfClasses = (path: string): boolean => /^\/-\/(?:classes|sheets|judge\/results)(?:\/|$)/.test(path)

const only = (isFor: boolean, link: Link): Link[] => (isFor ? [link] : [])

async function leave(): Promise<void> {
  // Leave first: a view that requires sign-in would redirect to the sign-in page.
  if (go('/-/')) await signOut()
}

type Shown = { readonly match: Match | undefined; readonly view: View | undefined; readonly error?: unknown }

function Outlet({ path }: { path: string }) {
  const [shown, show] = useState<Shown>()
  const isFirst = useRef(true)
  /** What had the focus when the view came; undefined once its heading has it, or somebody has moved on. */
  const leftAt = useRef<Element | null | undefined>(undefined)
  useEffect(() => {
    let isCurrent = true
    const match = findRoute(path)
    if (!match) {
      show({ match, view: undefined })
      return
    }
    match.load().then(
      (view) => isCurrent && show({ match, view }),
      (error) => isCurrent && show({ match, view: undefined, error }),
    )
    return () => {
      isCurrent = false
    }
  }, [path])

  const current = shown?.match?.params
  useEffect(() => {
    if (!shown) return
    // After a link, the focus goes to the new heading; on the first page the browser decides.
    if (!isFirst.current) leftAt.current = document.activeElement
    isFirst.current = false
    settleFocus(leftAt)
    settleScroll(false)
  }, [shown])
  useEffect(() => {
    const box = document.getElementById('main')!
    // A view that loads data renders its heading later.
    const observer = new ResizeObserver(() => {
      settleFocus(leftAt)
      settleScroll(false)
    })
    observer.observe(box)
    const timer = setTimeout(() => settleScroll(true), 1_500)
    return () => {
      observer.disconnect()
      clearTimeout(timer)
    }
  }, [current])

  if (!shown) return <Loading />
  if (shown.error) return <Outdated />
  if (!shown.view) return <NotFound />
  const View = shown.view
  return (
    <Guarded key={`${shown.match!.pattern} ${JSON.stringify(shown.match!.params)}`}>
      <View params={shown.match!.params} />
    </Guarded>
  )
}

function settleFocus(leftAt: { current: Element | null | undefined }): void {
  if (leftAt.current === undefined) return
  const here = document.activeElement
  const hasMovedOn = here !== leftAt.current && here !== document.body
  const heading = document.querySelector<HTMLElement>('main h1')
  if (!heading && !hasMovedOn) return
  leftAt.current = undefined
  if (hasMovedOn) return
  heading!.setAttribute('tabindex', '-1')
  heading!.focus({ preventScroll: true })
}

/** A part of the page that is gone: the server has a newer one. */
function Outdated() {
  return (
    <Problem
      message="This part of the page could not be loaded. The server may have a newer version."
      action={
        <button type="button" class="button" onClick={() => location.reload()}>
          Reload
        </button>
      }
    />
  )
}

/** A bug in one view leaves the rest of the page in working order. */
class Guarded extends Component<{ children: ComponentChildren }, { error?: unknown }> {
  override state: { error?: unknown } = {}
  override componentDidCatch(error: unknown): void {
    console.error(error)
    this.setState({ error })
  }
  override render() {
    return this.state.error ? <Outdated /> : this.props.children
  }
}
