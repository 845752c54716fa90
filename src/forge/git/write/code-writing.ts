/** Writes code over REST: makes its parts once and connects them. */
import type { Clock } from '../../../lib/clock.ts'
import type { StorageQuota } from '../../storage/storage-quota.ts'
import type { Git } from '../process/git.ts'
import { makeCheckedMoves } from '../push/checked-moves.ts'
import type { CheckPush } from '../push/push-rules.ts'
import type { RefMoving } from '../push/ref-moving.ts'
import { makeBranchWriting, type RulesByName } from './branch-writing.ts'
import { makeFileWriting } from './file-writing.ts'
import type { Merging } from './merging.ts'
import { makeObjectMaking } from './object-making.ts'
import { makeObjects } from './objects.ts'
import { makeRefWriting } from './ref-writing.ts'
import { makeTreeEditing } from './tree-editing.ts'

type Needs = {
  clock: Clock
  git: Git
  merging: Merging
  refMoving: RefMoving
  checkPush: CheckPush
  rules: RulesByName
  storage: Pick<StorageQuota, 'write' | 'demandSpace'>
}

export type CodeWriting = ReturnType<typeof makeCodeWriting>

export function makeCodeWriting({ clock, git, merging, refMoving, checkPush, rules, storage }: Needs) {
  const objects = makeObjects({ git, storage })
  const treeEditing = makeTreeEditing({ git })
  const moves = makeCheckedMoves({ git, merging, refMoving, checkPush })
  return {
    files: makeFileWriting({ clock, objects, treeEditing, moves }),
    objects: makeObjectMaking({ clock, objects, treeEditing }),
    refs: makeRefWriting({ objects, moves, storage }),
    branches: makeBranchWriting({ clock, merging, moves, refMoving, rules, storage }),
  }
}
