/** The parts of the administration. */
import { usePlace } from '../app/location.ts'

const tabs = [
  ['/-/admin/accounts', 'Accounts'],
  ['/-/admin/settings', 'Settings'],
] as const

export function Tabs() {
  const { path } = usePlace()
  return (
    <nav class="tabs" aria-label="Administration">
      {tabs.map(([href, text]) => (
        <a key={href} href={href} {...(path === href && { 'aria-current': 'page' as const })}>
          {text}
        </a>
      ))}
    </nav>
  )
}
