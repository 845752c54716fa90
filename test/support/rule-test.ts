/** In a suite over both engines: a test of rules, in which the engine has no part, is run on one of them (see `oneEngine`). */
import { test } from 'node:test'
import { type Engine, oneEngine } from './engines.ts'

/** `test` on the engine that such tests are run on, and nothing on the other. */
export const ruleTestOn = (engine: Engine): typeof test => (engine === oneEngine[0] ? test : leaveOut)

const leaveOut = (() => Promise.resolve()) as unknown as typeof test
