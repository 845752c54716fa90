/** What the flows of the browser test share: the stage, and the problem that most of them solve. */
import type { Json } from '../support/rpc.ts'
import type { Stage } from './stage.ts'

/** Filled before the first flow, and by the first that makes the problem. */
export type World = { stage: Stage; problem: Json }
