/** A notice that another tab has a different draft of the same text. */
import type { Draft } from './drafts.ts'

export const DraftNotice = ({ draft }: { draft: Draft }) =>
  draft.other === undefined ? null : (
    <div class="notice" role="status">
      <p>
        You are also editing this text in another tab, where it is different: “{draft.other.slice(0, 100)}
        {draft.other.length > 100 && '…'}”
      </p>
      <span class="row">
        <button type="button" class="button tight" onClick={draft.takeOther}>
          Use the other one
        </button>
        <button type="button" class="button tight" onClick={draft.keepOwn}>
          Keep both
        </button>
      </span>
    </div>
  )
