/** The awards of a finalized contest: the teams that got them, with certificates to print. */
import type { Contest, Scoreboard } from '../../api/contests.ts'
import { read } from '../../api/forge.ts'
import { useLoad } from '../../app/load.ts'

type Award = { readonly id: string; readonly citation: string; readonly team_ids: readonly string[] }

export function Awards({ contest, board }: { contest: Contest; board: Scoreboard }) {
  const path = `/api/contests/${encodeURIComponent(contest.ID)}/awards`
  const loaded = useLoad(`awards ${path}`, () => read<readonly Award[]>(path))
  const awards = loaded.value?.filter(({ team_ids: teams }) => teams.length > 0) ?? []
  if (awards.length === 0) return null
  const names = new Map(board.RowList.map(({ TeamID, Name }) => [TeamID, Name]))
  return (
    <section class="card flush below" aria-labelledby="awards">
      <h2 id="awards" class="card-title">
        Awards <small class="soft">a team’s name downloads its certificate</small>
      </h2>
      <ul class="rows">
        {awards.map(({ id, citation, team_ids: teams }) => (
          <li key={id}>
            <span class="grow">{citation}</span>
            <span class="row tight-row">
              {teams.map((team) => (
                <a
                  key={team}
                  href={`/-/judge/contests/${encodeURIComponent(contest.ID)}/awards/${encodeURIComponent(id)}/${encodeURIComponent(team)}.svg`}
                  download
                >
                  <bdi>{names.get(team) ?? team}</bdi>
                </a>
              ))}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
