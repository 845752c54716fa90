/** Finds the reader for each type of record. */
import type { RecordType } from '../../records/record-files.ts'
import { commitComment, issueComment, issueEvent } from './comments.ts'
import type { Definition } from './definition.ts'
import { attachment, release } from './files.ts'
import { issue, milestone } from './issues.ts'
import { organisation, team, user } from './people.ts'
import { pull, review, reviewComment } from './pulls.ts'
import { protectedBranch, repository } from './repositories.ts'

type Reading = Pick<Definition<unknown>, 'type' | 'read'>

const all: readonly Reading[] = [
  ...[user, organisation, team, repository, protectedBranch, milestone, issue, pull, review, reviewComment],
  ...[issueComment, issueEvent, commitComment, release, attachment],
]

export const readingOf: ReadonlyMap<RecordType, Reading> = new Map(all.map((one) => [one.type, one]))
