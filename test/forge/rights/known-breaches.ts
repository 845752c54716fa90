/** Breaches that are found and still to be mended: each is left out by name until then. */
import type { Breach } from './playing.ts'

type Known = { readonly why: string; readonly acts: RegExp }

/** What is done by others than may do it. */
const known: readonly Known[] = [{ why: 'there are no scopes for data sets yet', acts: /^make a token for someone$/ }]

export const isKnown = ({ step }: Breach): boolean => known.some(({ acts }) => acts.test(step.act))

/** What no token is asked about, so that next to nothing of it comes out as it should: every token is full power on data sets. */
export const isLeftOut = (act: string): boolean => /data sets?$|data set’s|^push an item$/.test(act)
