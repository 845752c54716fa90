/** The parts of the administration. */
import { usePlace } from '../app/location.ts'
import { Tabs } from '../parts/tabs.tsx'

const tabs = [
  ['/-/admin/accounts', 'Accounts'],
  ['/-/admin/organisations', 'Organisations'],
  ['/-/admin/judging', 'Queue and executors'],
  ['/-/admin/audit', 'Audit log'],
  ['/-/admin/settings', 'Settings'],
] as const

export function AdminTabs() {
  const { path } = usePlace()
  const here = path === '/-/admin' ? tabs[0][0] : path
  return <Tabs label="Administration" tabs={tabs.map(([href, text]) => [href, text, here === href])} />
}
