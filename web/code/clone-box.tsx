/** Where a repository is cloned from, with a token for it that is made on the spot. */
import { useState } from 'preact/hooks'
import { toPath } from '../api/forge.ts'
import type { Repository } from '../api/forge-types.ts'
import { call } from '../api/rpc.ts'
import { useSession } from '../app/session.ts'
import { Copy } from '../parts/copy.tsx'
import { useAct } from '../parts/form.tsx'
import { useRevealed } from '../parts/revealed.ts'
import { FailedAct } from '../parts/state.tsx'

const days = 90

export function CloneBox({ repository, refName }: { repository: Repository; refName: string }) {
  const { account } = useSession()
  const act = useAct()
  const [token, setToken] = useState<string>()
  const place = useRevealed<HTMLDivElement>(token)
  const { full_name, clone_url } = repository
  const make = () =>
    act.run(async () => {
      const { Text } = await call('create_token', {
        Kind: 'classic',
        Note: `git: ${full_name}`.slice(0, 255),
        ScopeList: ['repo'],
        ExpiryTime: Date.now() + days * 86_400_000,
      })
      setToken(Text)
    })
  const archive = (kind: string) => toPath('repos', ...full_name.split('/'), kind, refName)
  return (
    <details class="menu clone">
      <summary class="button main tight">Clone</summary>
      <div class="menu-box">
        <p class="label">HTTPS</p>
        <p class="row clone-row">
          <input class="input grow mono" readOnly value={clone_url} aria-label="Address to clone from" />
          <Copy text={clone_url} what="the address" />
        </p>
        {account && !token && (
          <>
            <p class="small soft">
              To push, or to clone a private repository, git asks for your name and a token. A token created here gives
              access to your repositories for {days} days.
            </p>
            <button type="button" class="button tight" disabled={act.isBusy} onClick={() => void make()}>
              Create a token for git
            </button>
          </>
        )}
        <FailedAct act={act} />
        {token && account && (
          <div class="notice good" role="status" tabIndex={-1} ref={place}>
            <p>
              Sign in to git as <b>{account.AccountName}</b> with this token as the password. It will not be shown
              again.
              <br />
              <code class="secret">{token}</code> <Copy text={token} what="the token" />
            </p>
          </div>
        )}
        <p class="small clone-files">
          <a href={archive('zipball')} download>
            Download as zip
          </a>{' '}
          ·{' '}
          <a href={archive('tarball')} download>
            as tar.gz
          </a>
        </p>
      </div>
    </details>
  )
}
