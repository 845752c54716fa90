/** Excerpts: a list shows the first hundred characters of a text, and never cuts a character. */

const shownCharacters = 100

/** Takes and returns UTF-8. */
export function excerpt(text: Uint8Array): Uint8Array {
  let end = 0
  for (let shown = 0; shown < shownCharacters && end < text.length; shown++) end = nextCharacter(text, end)
  return end >= text.length ? text.slice() : Buffer.concat([text.subarray(0, end), Buffer.from('...')])
}

function nextCharacter(text: Uint8Array, at: number): number {
  let next = at + 1
  while (next < text.length && (text[next]! & 0xc0) === 0x80) next++
  return next
}
