/** Turns a name into an ID: `Autumn Contest 2026` becomes `autumn-contest-2026`. */
import { spellLatin } from '../../../src/lib/text/latin.ts'

export const toId = (name: string): string => spellLatin(name, 36)
