/** Repositories one below the other: name, what it is for, and when it was last pushed to. */
import type { Repository } from '../api/forge-types.ts'
import { When } from '../parts/when.tsx'

export const RepositoryList = ({ list, isShort }: { list: readonly Repository[]; isShort?: boolean }) => (
  <ul class="plain-list card flush">
    {list.map((repository) => (
      <li key={repository.id} class="list-row">
        <div class="row">
          <a class="strong" href={`/${repository.full_name}`}>
            {isShort ? repository.name : repository.full_name}
          </a>
          {repository.private && <span class="badge">Private</span>}
          {repository.archived && <span class="badge wait">Archived</span>}
          {repository.fork && <span class="badge">Fork</span>}
        </div>
        {repository.description && <p class="cut">{repository.description}</p>}
        <p class="small soft row">
          {repository.language && <span>{repository.language}</span>}
          {repository.stargazers_count > 0 && <span>★ {repository.stargazers_count}</span>}
          {repository.pushed_at && (
            <span>
              Pushed <When at={Date.parse(repository.pushed_at)} />
            </span>
          )}
        </p>
      </li>
    ))}
  </ul>
)
