/** Metrics for Prometheus. */
import { Counter, collectDefaultMetrics, Gauge as Gauged, Histogram, Registry } from 'prom-client'
import { unhandledCounts } from './unhandled.ts'

const bucketsSeconds = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 30]

/** Combinations of route, method and status beyond this many count as one, since odd requests keep making more. */
const mostSeries = 1_500
/**
 * A rendering is cached for this many times as long as it took, a second at most, so that it takes a small part of the
 * processor however often it is requested.
 */
const sharedTimes = 20
const longestSharedMs = 1_000

export type Metrics = ReturnType<typeof makeMetrics>

/** A value that is read on each request for metrics. */
export type Gauge = { readonly name: string; readonly help: string; read(): number }
export type Figure = { readonly name: string; readonly help: string; readonly value: number }

/** `readFigures`: figures that need the database. */
export function makeMetrics(gauges: readonly Gauge[], readFigures: () => Promise<readonly Figure[]>) {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const durations = new Histogram({
    name: 'guildhall_request_duration_seconds',
    help: 'How long requests took.',
    labelNames: ['route', 'method', 'status'],
    buckets: bucketsSeconds,
    registers,
  })
  count('guildhall_unhandled_rejections_total', 'Promises that were rejected while nobody awaited them: bugs.', () => {
    return unhandledCounts.rejections
  })
  count('guildhall_uncaught_exceptions_total', 'Exceptions from callbacks that nobody caught: bugs.', () => {
    return unhandledCounts.exceptions
  })
  const series = new Set<string>()
  const figures = new Map<string, Gauged>()
  let shared: { readonly text: Promise<Buffer>; endsAt: number } | undefined

  function count(name: string, help: string, read: () => number): void {
    const counter = new Counter({
      name,
      help,
      registers,
      collect() {
        counter.reset()
        counter.inc(read())
      },
    })
  }

  function show({ name, help, value }: Figure): void {
    const figure = figures.get(name) ?? new Gauged({ name, help, registers })
    figures.set(name, figure)
    figure.set(value)
  }

  async function renderAnew(): Promise<Buffer> {
    for (const gauge of gauges) show({ ...gauge, value: gauge.read() })
    for (const figure of await readFigures()) show(figure)
    return Buffer.from(await registry.metrics())
  }

  return {
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    observe(route: string, method: string, status: number, elapsedMs: number): void {
      const name = `${method} ${status} ${route}`
      const isShown = series.has(name) || series.size < mostSeries
      if (isShown) series.add(name)
      const labels = isShown ? { route, method, status } : { route: 'other', method: 'other', status: 0 }
      durations.observe(labels, elapsedMs / 1000)
    },
    render(): Promise<Buffer> {
      const startedAt = performance.now()
      if (shared && startedAt < shared.endsAt) return shared.text
      const mine = { text: renderAnew(), endsAt: Number.POSITIVE_INFINITY }
      shared = mine
      const settle = () => {
        const now = performance.now()
        mine.endsAt = now + Math.min(sharedTimes * (now - startedAt), longestSharedMs)
      }
      mine.text.then(settle, () => {
        mine.endsAt = 0
      })
      return mine.text
    },
  }
}
