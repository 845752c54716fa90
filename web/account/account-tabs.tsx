/** The parts of one's own account. */
import { readIfThere } from '../api/forge.ts'
import { useLoad } from '../app/load.ts'
import { usePlace } from '../app/location.ts'
import { Tabs } from '../parts/tabs.tsx'

const tabs = [
  ['/-/account', 'Profile and password'],
  ['/-/account/tokens', 'Tokens'],
  ['/-/account/keys', 'Keys'],
  ['/-/account/apps', 'Apps'],
  ['/-/account/migrations', 'Migrations'],
  ['/-/account/sessions', 'Sessions'],
] as const

export function AccountTabs() {
  const { path } = usePlace()
  // A server without keys says 404.
  const keys = useLoad('whether there are keys', async () => ({
    isThere: (await readIfThere('/user/keys', { per_page: 1 })) !== undefined,
  }))
  const shown = tabs.filter(([href]) => href !== '/-/account/keys' || keys.value?.isThere)
  return (
    <Tabs
      label="My account"
      tabs={shown.map(([href, text]) => [
        href,
        text,
        path === href || (path.startsWith(`${href}/`) && href !== '/-/account'),
      ])}
    />
  )
}
