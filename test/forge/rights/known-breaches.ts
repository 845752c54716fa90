/** Breaches that are found and still to be mended: each is left out by name until then. */
import type { Breach } from './playing.ts'

type Known = { readonly why: string; isIt(breach: Breach): boolean }

const known: readonly Known[] = [
  {
    why: 'an installation reaches what its user has elsewhere, beyond what belongs to its account',
    isIt: ({ credential }) => credential.kind === 'installation',
  },
  {
    why: 'invitations that a collaborator has sent stay when the collaborator goes',
    isIt: ({ step }) => /invitation|^add a collaborator$/.test(step.act),
  },
]

export const isKnown = (breach: Breach): boolean => known.some(({ isIt }) => isIt(breach))
