/** Join codes: eight letters and digits by which students join a class. */
import { randomInt } from 'node:crypto'

/** Without 0, 1, I, L and O, which are easily confused. */
const letters = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789'
const length = 8

export const generateJoinCode = (): string => Array.from({ length }, () => letters[randomInt(letters.length)]).join('')

/** People type codes in lower case, with blanks or hyphens. */
export const normalizeJoinCode = (text: string): string => text.replace(/[\s-]/g, '').toUpperCase()
