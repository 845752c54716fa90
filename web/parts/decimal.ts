/** Decimal numbers as people type them: with a point or with a comma. */

const decimal = /^-?(?:\d+(?:[.,]\d*)?|[.,]\d+)$/
/** `1,000` and `17.500` may be thousands. `1.125` may be a number of ours, which never ends with a zero. */
const ambiguous = /^-?[1-9]\d{0,2}(?:,\d{3}|\.\d\d0)$/

const readParts = (text: string): number => Number(text.replace(',', '.'))

/** Null if the text is no number, or may be one of two: see `findDecimalFault`. */
export function readDecimal(text: string): number | null {
  const typed = text.trim()
  return decimal.test(typed) && !ambiguous.test(typed) ? readParts(typed) : null
}

export type DecimalRange = { readonly minimum?: number; readonly maximum: number; readonly isWhole?: boolean }

/** What is wrong with a number that somebody typed; empty if nothing is. An empty text is no fault. */
export function findDecimalFault(text: string, { minimum = 0, maximum, isWhole = false }: DecimalRange): string {
  const typed = text.trim()
  if (typed === '') return ''
  if (ambiguous.test(typed)) {
    const [small, large] = [String(readParts(typed)), typed.replace(/[.,]/, '')]
    return `“${typed}” may be ${small} or ${large}: write ${small} or ${large}.`
  }
  const number = readDecimal(typed)
  const isRight = number !== null && number >= minimum && number <= maximum && (!isWhole || Number.isInteger(number))
  if (isRight) return ''
  return isWhole
    ? `Enter a whole number from ${minimum} to ${maximum}.`
    : `Enter a number from ${minimum} to ${maximum}, such as ${Math.min(17.5, maximum)}.`
}
