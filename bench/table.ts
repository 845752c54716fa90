/** A bench's rows: what was measured, against what, the ratio with its spread, and what it should be. */

export type Row = {
  readonly what: string
  readonly against: string
  /** One ratio a round; the middle one counts. */
  readonly ratios: readonly number[]
  readonly goal?: { readonly atLeast: number } | { readonly atMost: number }
  readonly note?: string
}

export function printTable(name: string, rows: readonly Row[]): void {
  const cells = rows.map(listCells)
  const header = ['what', 'against', 'ratio (spread)', 'goal', 'note']
  const widths = header.map((title, i) => Math.max(title.length, ...cells.map((line) => line[i]!.length)))
  const draw = (line: string[]) => `| ${line.map((cell, i) => cell.padEnd(widths[i]!)).join(' | ')} |`
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`
  process.stdout.write(`\n## ${name}\n\n${[draw(header), rule, ...cells.map(draw)].join('\n')}\n\n`)
}

export const describeRow = (row: Row): string => listCells(row).filter(Boolean).join(' | ')

function listCells(row: Row): string[] {
  const [least, middle, most] = spread(row.ratios)
  const ratio = `${middle.toFixed(2)}  (${least.toFixed(2)} to ${most.toFixed(2)} in ${row.ratios.length})`
  return [row.what, row.against, ratio, describeGoal(row.goal, middle), row.note ?? '']
}

function spread(ratios: readonly number[]): [number, number, number] {
  const sorted = [...ratios].sort((a, b) => a - b)
  return [sorted[0]!, sorted[Math.floor(sorted.length / 2)]!, sorted.at(-1)!]
}

function describeGoal(goal: Row['goal'], middle: number): string {
  if (!goal) return ''
  const isMet = 'atLeast' in goal ? middle >= goal.atLeast : middle <= goal.atMost
  const words = 'atLeast' in goal ? `at least ${goal.atLeast}` : `at most ${goal.atMost}`
  return `${words}: ${isMet ? 'met' : 'MISSED'}`
}
