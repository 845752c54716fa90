/** Searches of all but issues, which have their own: made once. */
import type { Store } from '../../store/store.ts'
import type { Reading } from '../git/reading.ts'
import type { People } from '../people/people.ts'
import { makeCodeSearch } from './code-search.ts'
import { makeCommitSearch } from './commit-search.ts'
import { makeLabelSearch } from './label-search.ts'
import { makePeopleSearch } from './people-search.ts'
import { makeRepositorySearch } from './repository-search.ts'
import { makeTopicSearch } from './topic-search.ts'

type Needs = { store: Store; reading: Reading; people: People }

export const makeSearchRoom = ({ store, reading, people }: Needs) => ({
  repositories: makeRepositorySearch({ store }),
  people: makePeopleSearch({ store }),
  labels: makeLabelSearch({ store }),
  code: makeCodeSearch({ store, reading }),
  commits: makeCommitSearch({ store, reading, people }),
  topics: makeTopicSearch({ store }),
})
