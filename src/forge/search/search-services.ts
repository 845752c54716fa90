/** The searches of everything but issues. */
import type { Store } from '../../store/store.ts'
import type { GitReading } from '../git/read/git-reading.ts'
import type { People } from '../people/people.ts'
import { makeCodeSearch } from './code-search.ts'
import { makeCommitSearch } from './commit-search.ts'
import { makeLabelSearch } from './label-search.ts'
import { makePeopleSearch } from './people-search.ts'
import { makeRepositorySearch } from './repository-search.ts'
import { makeTopicSearch } from './topic-search.ts'

type Needs = { store: Store; reading: GitReading; people: People }

export type Searches = ReturnType<typeof makeSearchServices>

export const makeSearchServices = ({ store, reading, people }: Needs) => ({
  repositories: makeRepositorySearch({ store }),
  people: makePeopleSearch({ store }),
  labels: makeLabelSearch({ store }),
  code: makeCodeSearch({ store, reading }),
  commits: makeCommitSearch({ store, reading, people }),
  topics: makeTopicSearch({ store }),
})
