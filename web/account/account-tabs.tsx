/** The parts of one's own account. */
import { usePlace } from '../app/location.ts'
import { Tabs } from '../parts/tabs.tsx'

const tabs = [
  ['/-/account', 'Name and password'],
  ['/-/account/tokens', 'Tokens'],
  ['/-/account/sessions', 'Sessions'],
] as const

export function AccountTabs() {
  const { path } = usePlace()
  return <Tabs label="My account" tabs={tabs.map(([href, text]) => [href, text, path === href])} />
}
