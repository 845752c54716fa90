/** The declarations of the forge's routes, for tests that read them. There are no services behind them: no handler can be called. */
import { makeRoutes } from '../../src/api/forge-rest/routes.ts'

type Needs = Parameters<typeof makeRoutes>[0]

export const routes = makeRoutes({ forge: {}, limits: {} } as unknown as Needs)
