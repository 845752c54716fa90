/** Password slips to print and cut: the server's address, name, login and password, nothing of the page around them. */
import { useRevealed } from '../../parts/revealed.ts'

export type Slip = { readonly login: string; readonly name: string; readonly password: string }

type Props = {
  readonly slips: readonly Slip[]
  /** Where to begin; the server itself unless said. */
  readonly path?: string
}

export function PasswordSlips({ slips, path = '' }: Props) {
  const place = useRevealed<HTMLHeadingElement>(slips)
  return (
    <section class="card slips" aria-labelledby="slips">
      <div class="row no-print">
        <h2 id="slips" class="grow" tabIndex={-1} ref={place}>
          Passwords (they will not be shown again)
        </h2>
        <button type="button" class="button main" onClick={() => print()}>
          Print slips
        </button>
      </div>
      <ul class="slip-list">
        {slips.map(({ login, name, password }) => (
          <li class="slip" key={login}>
            <strong>{name}</strong>
            <dl>
              <dt>Address</dt>
              <dd>{location.origin + path}</dd>
              <dt>Login</dt>
              <dd>
                <code>{login}</code>
              </dd>
              <dt>Password</dt>
              <dd>
                <code>{password}</code>
              </dd>
            </dl>
          </li>
        ))}
      </ul>
    </section>
  )
}
