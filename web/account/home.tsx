/** The home: waiting work for signed-in people, an introduction for everyone else. */
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Account } from '../api/operations.ts'
import { useTitle } from '../app/page.ts'
import { useSession } from '../app/session.ts'
import { Loading } from '../parts/state.tsx'

export function Home() {
  const { account, info } = useSession()
  useTitle(account ? 'Home' : 'Welcome')
  if (account) return <Own account={account} />
  return (
    <>
      <div class="heading">
        <div>
          <h1>Programs, problems and data</h1>
          <p>Solve problems, teach a class, host code, store data sets.</p>
        </div>
        <div class="row">
          <a class="button main" href="/-/sign-in">
            Sign in
          </a>
          {!info.Setting.Account.DisableAccountCreation && (
            <a class="button" href="/-/sign-up">
              Create an account
            </a>
          )}
        </div>
      </div>
      <div class="tiles">
        <Tile href="/-/judge" title="Problems">
          Read a problem, write a program, watch the verdict arrive.
        </Tile>
        <Tile href="/-/contests" title="Contests">
          Take part with your team, or watch the scoreboard.
        </Tile>
        <Tile href="/-/repositories" title="Repositories">
          Code with issues, pull requests and releases.
        </Tile>
        <Tile href="/-/datasets" title="Data sets">
          Browse items as a table, upload files, export in nine formats.
        </Tile>
        <Tile href="/-/docs" title="Documents">
          Guides for students and teachers, the interfaces, running this server.
        </Tile>
      </div>
    </>
  )
}

/** Its content is a separate chunk, so that the first load stays small for everyone. */
function Own({ account }: { account: Account }) {
  const [Waiting, setWaiting] = useState<{ readonly view: ComponentType<{ account: Account }> }>()
  const [error, setError] = useState<unknown>()
  useEffect(() => {
    import('./waiting.tsx').then(({ Waiting: view }) => setWaiting({ view }), setError)
  }, [])
  if (error) throw error
  return (
    <>
      <div class="heading">
        <h1>Hello, {account.DisplayName}</h1>
      </div>
      {Waiting ? <Waiting.view account={account} /> : <Loading />}
    </>
  )
}

const Tile = ({ href, title, children }: { href: string; title: string; children: string }) => (
  <a class="card tile" href={href}>
    <h2>{title}</h2>
    <p>{children}</p>
  </a>
)
