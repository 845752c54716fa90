/** The frame of the jury's *Manage* pages, with their tabs. */
import type { ComponentChildren } from 'preact'
import type { Loaded } from '../../app/load.ts'
import { useSignedIn } from '../../app/page.ts'
import { Tabs } from '../../parts/tabs.tsx'
import { ContestPage } from '../contest-page.tsx'
import { contestPath, type Shown } from '../shown.ts'

export type ManageTab = 'run' | 'settings' | 'problems' | 'teams' | 'rejudgings' | 'statistics'

type Props = {
  readonly id: string
  readonly tab: ManageTab
  children(shown: Shown, loaded: Loaded<Shown>): ComponentChildren
}

const tabs: readonly (readonly [tab: ManageTab, path: string, text: string])[] = [
  ['run', 'manage', 'Run'],
  ['settings', 'manage/settings', 'Settings'],
  ['problems', 'manage/problems', 'Problems'],
  ['teams', 'manage/teams', 'Teams'],
  ['rejudgings', 'manage/rejudgings', 'Rejudgings'],
  ['statistics', 'manage/statistics', 'Statistics'],
]

export function ManagePage({ id, tab, children }: Props) {
  const isSignedIn = useSignedIn()
  if (!isSignedIn) return null
  return (
    <ContestPage id={id} tab="manage" isFor="jury">
      {(shown, loaded) => (
        <>
          <Tabs
            label="Manage"
            tabs={tabs.map(([one, path, text]) => [contestPath(id, path), text, one === tab] as const)}
          />
          {children(shown, loaded)}
        </>
      )}
    </ContestPage>
  )
}
