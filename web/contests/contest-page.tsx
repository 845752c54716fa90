/**
 * The top of every page of a contest: name, clock, state, tabs, and new announcements of the jury.
 */
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Clarification, Contest } from '../api/contests.ts'
import { isMissing } from '../api/fault.ts'
import { callAll, openAnswer } from '../api/rpc.ts'
import { type Loaded, useLoad } from '../app/load.ts'
import { useSession } from '../app/session.ts'
import { Heading } from '../parts/heading.tsx'
import { NotFound } from '../parts/not-found.tsx'
import { Refusal } from '../parts/only.tsx'
import { Ready } from '../parts/state.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { ContestClock, isOver, nextTurn, StateBadge } from './contest-clock.tsx'
import { NewClarification, useNews } from './news.tsx'
import { usePolling } from './polling.ts'
import { serverNow } from './server-clock.ts'
import { contestPath, isJury, type Shown } from './shown.ts'

export type ContestTab = 'home' | 'board' | 'submissions' | 'clarifications' | 'balloons' | 'manage'

/** The number of clarifications on a page. */
export const newestClarifications = 50

async function readContest(id: string): Promise<Shown> {
  const [contest, list] = await callAll([
    ['get_contest', { ID: id }],
    ['get_clarification_list', { ContestID: id, Offset: 0, Limit: newestClarifications }],
  ])
  const { ClarificationList, TotalClarificationCount } = openAnswer<{
    ClarificationList: readonly Clarification[]
    TotalClarificationCount: number
  }>(list!)
  return {
    contest: openAnswer<{ Contest: Contest }>(contest!).Contest,
    clarifications: ClarificationList,
    totalClarifications: TotalClarificationCount,
  }
}

const pollMs = 10_000
/** Clients waiting for the start poll shortly after it, with a random delay. */
const latestMs = 1_500

export function useContest(id: string): Loaded<Shown> {
  const accountId = useSession().account?.ID ?? 0
  const loaded = useLoad(`contest ${accountId} ${id}`, () => readContest(id))
  const { reload } = loaded
  usePolling(reload, loaded.value && isOver(loaded.value.contest) ? 3 * pollMs : pollMs)
  const turn = loaded.value && nextTurn(loaded.value.contest, serverNow())
  useEffect(() => {
    if (turn === undefined || turn - serverNow() > 86_400_000) return
    const timer = setTimeout(reload, turn - serverNow() + 100 + Math.random() * latestMs)
    return () => clearTimeout(timer)
  }, [turn, reload])
  return loaded
}

type Props = {
  readonly id: string
  readonly tab: ContestTab
  /** Set for pages that only the jury, or only staff and jury, can open. */
  readonly isFor?: 'jury' | 'staff'
  readonly acts?: (shown: Shown) => ComponentChildren
  children(shown: Shown, loaded: Loaded<Shown>): ComponentChildren
}

export function ContestPage({ id, tab, isFor, acts, children }: Props) {
  const loaded = useContest(id)
  if (loaded.value === undefined && isMissing(loaded.error))
    return (
      <NotFound title="There is no such contest here">
        It may have been deleted, or it may be private and you are not taking part.{' '}
        <a href="/-/contests">All contests</a>
      </NotFound>
    )
  return (
    <Ready of={loaded}>
      {(shown) => {
        const { contest } = shown
        const isRefused = (isFor && !isJury(contest) && !(isFor === 'staff' && contest.Role === 'staff')) ?? false
        if (isRefused)
          return (
            <Refusal title={contest.Name}>
              This page is for the {isFor === 'staff' ? 'staff and the jury' : 'jury'} of the contest.
            </Refusal>
          )
        return (
          <>
            <Heading
              title={contest.Name}
              note={
                <span class="row contest-note">
                  <StateBadge state={contest.State} /> <ContestClock contest={contest} />
                </span>
              }
            >
              {acts?.(shown)}
            </Heading>
            <ContestTabs shown={shown} tab={tab} />
            <NewClarification shown={shown} isList={tab === 'clarifications'} />
            {children(shown, loaded)}
          </>
        )
      }}
    </Ready>
  )
}

function ContestTabs({ shown, tab }: { shown: Shown; tab: ContestTab }) {
  const { contest } = shown
  const { ID, Role, BoardIsHidden } = contest
  const news = useNews(shown)
  const newCount = news.length > 0 ? ` (${news.length} new)` : ''
  const takesPart = Role === 'team' || Role === 'jury'
  return (
    <Tabs
      label="Contest"
      tabs={[
        [contestPath(ID), 'Overview', tab === 'home'],
        ...only(Role === 'jury' || !BoardIsHidden, [contestPath(ID, 'board'), 'Scoreboard', tab === 'board']),
        ...only(takesPart, [contestPath(ID, 'submissions'), 'Submissions', tab === 'submissions']),
        [contestPath(ID, 'clarifications'), `Clarifications${newCount}`, tab === 'clarifications'],
        ...only(Role === 'jury' || Role === 'staff', [contestPath(ID, 'balloons'), 'Balloons', tab === 'balloons']),
        ...only(Role === 'jury', [contestPath(ID, 'manage'), 'Manage', tab === 'manage']),
      ]}
    />
  )
}

type Link = readonly [href: string, text: string, isHere: boolean]
const only = (isFor: boolean, link: Link): Link[] => (isFor ? [link] : [])
