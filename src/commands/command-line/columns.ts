/** Writes rows as lines with aligned columns, without control characters, which a terminal would obey. */

export function alignColumns(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const table = [heads, ...rows].map((row) => row.map(withoutControls))
  const widths = heads.map((_, i) => Math.max(...table.map((row) => [...(row[i] ?? '')].length)))
  const lines = table.map((row) => row.map((cell, i) => cell + ' '.repeat(widths[i]! - [...cell].length)).join('  '))
  return lines.map((line) => `${line.trimEnd()}\n`).join('')
}

/** A display name may contain anything, even an escape sequence. */
const withoutControls = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ')

export const showTime = (time: Date | undefined): string => time?.toISOString().slice(0, 16).replace('T', ' ') ?? '-'
