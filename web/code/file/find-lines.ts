/** Words in the lines of a file, whatever their case. */
/** The numbers of the lines with these words, counted from 1. */
export function findLines(lines: readonly string[], words: string): readonly number[] {
  const sought = words.toLowerCase()
  return sought === '' ? [] : lines.flatMap((line, at) => (line.toLowerCase().includes(sought) ? [at + 1] : []))
}
