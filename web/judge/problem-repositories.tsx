/** On a problem's page: the repositories whose pushes are submitted to it. */
import type { ProblemLink } from '../api/classes.ts'
import { toPath } from '../api/forge.ts'

/** More of them are folded. */
const mostShown = 3

export function RepositoriesOfProblem({ links }: { links: readonly ProblemLink[] }) {
  if (links.length === 0) return null
  if (links.length <= mostShown)
    return (
      <>
        {links.map((link) => (
          <p key={link.Repository}>
            <PushedFile link={link} />
          </p>
        ))}
      </>
    )
  return (
    <details>
      <summary>{links.length} repositories submit to this problem by pushes</summary>
      <ul>
        {links.map((link) => (
          <li key={link.Repository}>
            <PushedFile link={link} />
          </li>
        ))}
      </ul>
    </details>
  )
}

const PushedFile = ({ link: { Repository, Path, Branch } }: { link: ProblemLink }) => (
  <>
    Pushes of <code>{Path}</code> to <a href={toPath(...Repository.split('/'))}>{Repository}</a>
    {Branch !== null && (
      <>
        {' '}
        (branch <bdi>{Branch}</bdi>)
      </>
    )}{' '}
    are submitted here.
  </>
)
