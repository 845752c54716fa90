/** The start: what can be done here. */
import { useTitle } from '../app/page.ts'
import { isAdmin, isSetter, useSession } from '../app/session.ts'

export function Home() {
  const session = useSession()
  const { account, info } = session
  useTitle(account ? 'Start' : 'Welcome')
  return (
    <>
      <div class="heading">
        <div>
          <h1>{account ? `Hello, ${account.DisplayName}` : 'Programs, problems and data'}</h1>
          <p>{account ? 'What would you like to do?' : 'Solve problems, teach a class, store data sets.'}</p>
        </div>
        {!account && (
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
        )}
      </div>
      <div class="tiles">
        <Tile href="/-/judge" title="Problems">
          Read a problem, write a program, watch the verdict arrive.
        </Tile>
        {account && (
          <Tile href="/-/judge/submissions?by=me" title="My submissions">
            Everything you submitted, with results.
          </Tile>
        )}
        {isSetter(session) && (
          <Tile href="/-/judge/problems/new" title="Write a problem">
            Statement, limits, examples and tests.
          </Tile>
        )}
        {isSetter(session) && (
          <Tile href="/-/judge/results" title="Results">
            Who solved what, person by problem.
          </Tile>
        )}
        <Tile href="/-/datasets" title="Data sets">
          Browse items as a table, upload files, export in nine formats.
        </Tile>
        {isAdmin(session) && (
          <Tile href="/-/admin/accounts" title="Accounts and settings">
            Create a class from a list, set roles, close sign-up.
          </Tile>
        )}
        <Tile href="/-/docs" title="Documents">
          Guides for students and teachers, the interfaces, running this server.
        </Tile>
      </div>
    </>
  )
}

const Tile = ({ href, title, children }: { href: string; title: string; children: string }) => (
  <a class="card tile" href={href}>
    <h2>{title}</h2>
    <p>{children}</p>
  </a>
)
