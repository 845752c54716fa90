/** The lines that a comment suggests, and the text that they make. */
const form = /^(`{3,}|~{3,})suggestion[^\n]*\n([\s\S]*?)(?:\n)?^\1[ \t]*$/m

/** The lines that a comment would have in place of those it is about; undefined where it suggests none. */
export const readSuggestion = (body: string | null): string | undefined =>
  form.exec((body ?? '').replaceAll('\r\n', '\n'))?.[2]

/** Lines `start` to `line`, which count from one, give way to the suggestion; every other byte stays as it is. */
export function applyTo(text: string, start: number, line: number, suggestion: string): string {
  const lines = text.split('\n')
  const ending = lines[start - 1]?.endsWith('\r') ? '\r' : ''
  const fresh = suggestion === '' ? [] : suggestion.split('\n').map((each) => each + ending)
  return [...lines.slice(0, start - 1), ...fresh, ...lines.slice(line)].join('\n')
}
