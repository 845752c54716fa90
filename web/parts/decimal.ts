/** Decimal numbers as people type them: with a point or with a comma. */

const decimal = /^\s*(?:\d+(?:[.,]\d*)?|[.,]\d+)\s*$/

/** Null if the text is no number. A comma is the decimal point, never a separator of thousands. */
export const readDecimal = (text: string): number | null =>
  decimal.test(text) ? Number(text.trim().replace(',', '.')) : null
