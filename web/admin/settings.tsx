/** The disabled features and the languages of this server. */
import type { Setting } from '../api/operations.ts'
import { call } from '../api/rpc.ts'
import { useLoad } from '../app/load.ts'
import { noteInfo } from '../app/session.ts'
import { useAct } from '../parts/form.tsx'
import { Heading } from '../parts/heading.tsx'
import { Only } from '../parts/only.tsx'
import { Failed, Ready } from '../parts/state.tsx'
import { AdminTabs } from './admin-tabs.tsx'

const switches = [
  [
    'Account',
    'DisableAccountCreation',
    'New accounts',
    'Closes sign-up and account creation on this page and by lists of students. The command line and POST /admin/users still work.',
  ],
  ['Account', 'DisableAccountUpdate', 'Account changes', 'Nobody can change names, passwords or roles.'],
  ['Account', 'DisableSessionCreationForContestant', 'Contestant sign-in', 'Existing sessions continue.'],
  ['Account', 'DisableSessionCreationForProblemSetter', 'Problem setter sign-in', 'Existing sessions continue.'],
  ['Problem', 'DisableProblemCreation', 'New problems', ''],
  ['Problem', 'DisableProblemUpdate', 'Problem and test changes', 'Problems can still be deleted.'],
  ['Submission', 'DisableSubmissionCreation', 'Submissions', 'Submissions that wait are still judged.'],
] as const

export function Settings() {
  return (
    <Only who="admins" title="Settings">
      <View />
    </Only>
  )
}

function View() {
  const loaded = useLoad('settings', () => call('get_server_info', {}))
  const act = useAct()
  const turn = (group: keyof Setting, name: string, isOff: boolean) =>
    act.run(async () => {
      const info = loaded.value!
      const change = { [group]: { ...info.Setting[group], [name]: isOff } } as Partial<Setting>
      // It is shown at once, and taken back where it is refused.
      loaded.replace({ ...info, Setting: { ...info.Setting, ...change } })
      try {
        const { Setting } = await call('update_setting', { Setting: change })
        loaded.replace({ ...info, Setting })
        noteInfo({ ...info, Setting })
      } catch (error) {
        loaded.replace(info)
        throw error
      }
    })
  return (
    <>
      <Heading title="Settings" />
      <AdminTabs />
      <Ready of={loaded}>
        {(info) => (
          <div class="solve">
            <section class="card" aria-labelledby="switches">
              <h2 id="switches">Disabled features</h2>
              <p class="soft small">A ticked feature is disabled for everyone.</p>
              {act.error !== undefined && <Failed error={act.error} />}
              {switches.map(([group, name, title, note]) => (
                <label class="check" key={name}>
                  <input
                    type="checkbox"
                    checked={(info.Setting[group] as Record<string, boolean>)[name] ?? false}
                    disabled={act.isBusy}
                    onChange={(event) => void turn(group, name, event.currentTarget.checked)}
                  />
                  <span>
                    {title}
                    {note && <small class="soft"> {note}</small>}
                  </span>
                </label>
              ))}
            </section>
            <section class="card" aria-labelledby="languages">
              <h2 id="languages">Languages</h2>
              <p class="soft small">
                {info.IsDistributed
                  ? 'Executors on other machines are connected.'
                  : 'Only the built-in executor is connected.'}
              </p>
              <ul>
                {info.SupportedLanguageList.map(({ Value, Name }) => (
                  <li key={Value}>
                    {Name} <code class="soft">{Value}</code>
                  </li>
                ))}
              </ul>
            </section>
          </div>
        )}
      </Ready>
    </>
  )
}
