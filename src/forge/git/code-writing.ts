/** Code written over REST: its parts, made once and tied. */
import type { Clock } from '../../base/clock.ts'
import type { StorageQuota } from '../storage/storage-quota.ts'
import { makeBranchWriting, type RulesByName } from './branch-writing.ts'
import { makeFileWriting } from './file-writing.ts'
import type { Git } from './git.ts'
import { makeJudgedMoves } from './judged-moves.ts'
import type { Merging } from './merging.ts'
import { makeObjectMaking } from './object-making.ts'
import { makeObjects } from './objects.ts'
import type { JudgePush } from './push-rules.ts'
import type { RefMoving } from './ref-moving.ts'
import { makeRefWriting } from './ref-writing.ts'
import { makeTreeEditing } from './tree-editing.ts'

type Needs = {
  clock: Clock
  git: Git
  merging: Merging
  refMoving: RefMoving
  judgePush: JudgePush
  rules: RulesByName
  storage: Pick<StorageQuota, 'write' | 'demandRoom'>
}

export type CodeWriting = ReturnType<typeof makeCodeWriting>

export function makeCodeWriting({ clock, git, merging, refMoving, judgePush, rules, storage }: Needs) {
  const objects = makeObjects({ git, storage })
  const treeEditing = makeTreeEditing({ git })
  const moves = makeJudgedMoves({ git, merging, refMoving, judgePush })
  return {
    files: makeFileWriting({ clock, objects, treeEditing, moves }),
    objects: makeObjectMaking({ clock, objects, treeEditing }),
    refs: makeRefWriting({ objects, moves, storage }),
    branches: makeBranchWriting({ clock, merging, moves, refMoving, rules, storage }),
  }
}
