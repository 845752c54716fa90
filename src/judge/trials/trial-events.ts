/** Tells every server that trials wait, or that some are done. The table is authoritative; waiting calls also poll. */
import type { Log } from '../../lib/log.ts'
import type { Store } from '../../store/store.ts'

export type TrialEvents = ReturnType<typeof makeTrialEvents>

const channel = 'judge-trials'

export function makeTrialEvents({ store, log }: { store: Store; log: Log }) {
  return {
    publish: (): Promise<void> =>
      store
        .write((trx) => store.notify(trx, channel, ''))
        .catch((error) => log.warn({ err: error }, 'calls that wait for a trial could not be woken')),
    onChange: (listener: () => void): (() => void) => store.listen(channel, listener),
  }
}
