/** The apps that are installed on an organisation. */
import { read, toPath } from '../api/forge.ts'
import { useLoad } from '../app/load.ts'
import { type Installation, InstallationList } from '../parts/installation-list.tsx'
import { Ready } from '../parts/state.tsx'

export function InstalledOn({ login }: { login: string }) {
  const found = useLoad(`apps of ${login}`, () =>
    read<{ installations: readonly Installation[] }>(toPath('orgs', login, 'installations'), { per_page: 100 }),
  )
  return (
    <div class="text-width">
      <Ready of={found}>{({ installations }) => <InstallationList list={installations} reload={found.reload} />}</Ready>
      <p class="soft small">
        Owners manage the organisation’s own apps under{' '}
        <a href={`/-/account/apps?owner=${encodeURIComponent(login)}`}>its apps</a>.
      </p>
    </div>
  )
}
