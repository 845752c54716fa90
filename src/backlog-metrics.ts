/** The backlog for Prometheus: waiting jobs, submissions and webhook deliveries, queried at most once a second. */

import type { Webhooks } from './forge/webhooks/webhook-services.ts'
import type { Jobs } from './jobs/jobs.ts'
import type { Judge } from './judge/judge.ts'
import type { Clock } from './lib/clock.ts'
import type { Log } from './lib/log.ts'
import { logOutage } from './lib/outages/outage-log.ts'
import type { Figure } from './metrics.ts'
import type { Backlog } from './store/backlog.ts'

const freshMs = 1_000

const waits = [
  { name: 'jobs_waiting', what: 'Jobs that are due and do not run yet' },
  { name: 'submissions_waiting', what: 'Submissions that wait to be judged' },
  { name: 'rejudged_submissions_waiting', what: 'Submissions that wait to be judged again' },
  { name: 'webhook_payloads_waiting', what: 'Deliveries to webhooks whose payload is not made yet' },
  { name: 'webhook_deliveries_waiting', what: 'Deliveries to webhooks that wait to be sent' },
] as const

type Waits = Record<(typeof waits)[number]['name'], Backlog>

type Needs = {
  jobs: Jobs
  judge: Judge
  webhooks: Webhooks
  clock: Clock
  log: Log
}

export function makeBacklogMetrics({ jobs, judge, webhooks, clock, log }: Needs) {
  let known: { readonly at: number; readonly figures: Promise<Figure[]> } | undefined

  async function read(): Promise<Figure[]> {
    const [ofJobs, ofJudging, ofWebhooks, stranded] = await Promise.all([
      jobs.readBacklog(),
      judge.readBacklog(),
      webhooks.readBacklog(),
      judge.stranded.count(),
    ])
    const found: Waits = {
      jobs_waiting: ofJobs.due,
      submissions_waiting: ofJudging.first,
      rejudged_submissions_waiting: ofJudging.again,
      webhook_payloads_waiting: ofWebhooks.payloads,
      webhook_deliveries_waiting: ofWebhooks.ready,
    }
    const now = clock.now()
    return [
      { name: 'guildhall_jobs_dead', help: 'Jobs that failed to the end, kept for thirty days.', value: ofJobs.dead },
      {
        name: 'guildhall_stranded_submissions',
        help: 'Submissions that no connected executor can judge, since it lacks a feature.',
        value: stranded,
      },
      ...waits.flatMap(({ name, what }) => [
        { name: `guildhall_${name}`, help: `${what}; no more than 10,000 are counted.`, value: found[name].count },
        {
          name: `guildhall_${name}_seconds`,
          help: `${what}: for how long the first of them has waited.`,
          value: Math.max(0, now - (found[name].since ?? now)) / 1000,
        },
      ]),
    ]
  }

  function sayNone(error: unknown): Figure[] {
    logOutage(log, 'warn', { err: error }, 'what waits could not be counted')
    return []
  }

  return (): Promise<Figure[]> => {
    const at = performance.now()
    // While the database is away its figures are left out, and the others are still shown.
    if (!known || at - known.at >= freshMs) known = { at, figures: read().catch(sayNone) }
    return known.figures
  }
}
