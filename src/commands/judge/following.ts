/** Follows a submission until it is finished: polls on the server's live updates, or by a timer without them. */
import { setTimeout as sleep } from 'node:timers/promises'
import { OperatorError } from '../../lib/failure.ts'
import { JudgeRefusal, type JudgeServer } from './server.ts'

export type Seen = {
  readonly submission: SubmissionSnippet
  readonly progress: { readonly FinishedTestCaseCount: number; readonly TotalTestCaseCount: number }
}

export type SubmissionSnippet = {
  readonly ID: number
  readonly Problem: { readonly UUID: string; readonly DisplayName: string }
  readonly Language: string
  readonly Status: number
  readonly Result: number
  readonly CreatedTime: number
  readonly CPUTimeInMillisecond: number | null
  readonly PeakMemoryInByte: number | null
  readonly Score?: number | null
  readonly MaximumScore?: number | null
}

export const finished = 3
/** For when the stream is broken, or a hint was lost. */
const pollMs = 2_000
/** A restarted server is back within a minute. */
const mostSilentMs = 60_000

/** Calls `show` whenever something may have changed; resolves with the last state. */
export async function followSubmission(judge: JudgeServer, id: number, show: (seen: Seen) => void): Promise<Seen> {
  const hints = listenTo(judge, id)
  let answeredAt = performance.now()
  try {
    for (;;) {
      const seen = await look(judge, id).catch((error) => {
        const isAway = error instanceof OperatorError && !(error instanceof JudgeRefusal)
        if (isAway && performance.now() - answeredAt < mostSilentMs) return undefined
        if (!isAway) throw error
        throw new OperatorError(`${(error as Error).message} It was submitted all the same: see it with status ${id}.`)
      })
      if (seen) {
        answeredAt = performance.now()
        show(seen)
        if (seen.submission.Status === finished) return seen
      }
      await hints.next()
    }
  } finally {
    hints.close()
  }
}

export async function look({ call }: JudgeServer, ID: number): Promise<Seen> {
  const [{ Submission }, { Progress }] = await Promise.all([
    call('get_submission', { ID }),
    call('get_submission_report', { ID }),
  ])
  return { submission: Submission, progress: Progress }
}

/** `next` resolves with the next hint, with one that came meanwhile, or after a while without any. */
function listenTo({ server }: JudgeServer, id: number) {
  const closing = new AbortController()
  let isHinted = false
  let wake: (() => void) | undefined
  const hint = () => {
    isHinted = true
    wake?.()
  }

  async function read(): Promise<void> {
    const response = await server.send('GET', `/-/live?submissions=${id}`, {
      headers: { accept: 'text/event-stream' },
      signal: closing.signal,
    })
    if (!response.ok || !response.body) {
      await response.body?.cancel()
      return
    }
    for await (const chunk of response.body) if (Buffer.from(chunk).includes('event: ')) hint()
  }

  async function readOn(): Promise<void> {
    while (!closing.signal.aborted) {
      // A broken or refused stream is reopened; until then the timer polls.
      await read().catch(() => {})
      await sleep(pollMs, undefined, { signal: closing.signal }).catch(() => {})
    }
  }
  void readOn()

  return {
    async next(): Promise<void> {
      if (!isHinted) {
        const timer = new AbortController()
        await Promise.race([
          new Promise<void>((resolve) => {
            wake = resolve
          }),
          sleep(pollMs, undefined, { signal: timer.signal }).catch(() => {}),
        ])
        timer.abort()
      }
      isHinted = false
      wake = undefined
    },
    close: () => closing.abort(),
  }
}
