/** Limits token requests: per app if its secret proves it, otherwise also per address. */
import type { Budget, RateBudgets } from '../../accounts/rates/rate-budgets.ts'
import type { Clock } from '../../lib/clock.ts'
import { Failure } from '../../lib/failure.ts'
import { networkOf } from '../../lib/network.ts'
import type { Figures } from './figures.ts'

/** New device codes per address in 15 minutes: enough for a class that signs in at once. */
const deviceCodes = 200
const quarterMs = 15 * 60_000

type Needs = { rates: RateBudgets; clock: Clock; figures: Figures; isOn: boolean; message: string }

export type TokenRequests = ReturnType<typeof makeTokenRequests>

export function makeTokenRequests({ rates, clock, figures, isOn, message }: Needs) {
  const hourly = (key: string): Budget => ({
    key: `oauth-tokens:${key}`,
    limit: figures['oauth-tokens'],
    windowMs: figures.hour * 1000,
  })
  const ofApp = (appId: number) => hourly(`app:${appId}`)

  const refuse = (resetAt: number): Failure =>
    new Failure('limited', 'secondary-limit', message, {
      retryAfterSeconds: Math.max(1, Math.ceil((resetAt - clock.now()) / 1000)),
    })

  async function spend(budgets: readonly Budget[]): Promise<void> {
    const { allowed, refusedBy } = await rates.spend(budgets)
    if (!allowed) throw refuse(refusedBy?.resetAt ?? 0)
  }

  return {
    /**
     * A client id is no secret: without more, anyone could use up an app's hourly quota. Such requests count per
     * address, and the app's quota counts only those that get a token (see `note`).
     */
    async admit(appId: number, address: string, hasSecret: boolean): Promise<void> {
      if (!isOn) return
      if (hasSecret) return spend([ofApp(appId)])
      const [state] = await rates.peek([ofApp(appId)])
      if (state!.remaining < 1) throw refuse(state!.resetAt)
      await spend([hourly(`app:${appId} ${networkOf(address)}`)])
    },

    /** Counts a token given to a client without a secret. */
    async note(appId: number): Promise<void> {
      if (isOn) await rates.add(ofApp(appId), 1)
    },

    async admitDevice(address: string): Promise<void> {
      if (isOn) await spend([{ key: `device-codes:${networkOf(address)}`, limit: deviceCodes, windowMs: quarterMs }])
    },
  }
}
