/** Figures for Prometheus. */
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client'

export type Metrics = ReturnType<typeof makeMetrics>

export function makeMetrics() {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const duration = new Histogram({
    name: 'guildhall_request_duration_seconds',
    help: 'How long requests took, by route, method and status.',
    labelNames: ['route', 'method', 'status'],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 30],
    registers: [registry],
  })
  return {
    contentType: registry.contentType,
    render: () => registry.metrics(),
    observe(route: string, method: string, status: number, elapsedMs: number) {
      duration.labels(route, method, String(status)).observe(elapsedMs / 1000)
    },
  }
}
