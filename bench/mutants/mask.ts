/** Source text in which comments, texts and patterns are dots, so that what is found in it is code. */

/** What lies in `${…}` of a template stays code. */
export function maskText(code: string): string {
  let masked = ''
  /** Templates that are open, each with how many braces are open within its `${`. */
  const templates: number[] = []
  const dots = (text: string) => text.replace(/[^\n]/g, '.')
  for (let at = 0; at < code.length; ) {
    const rest = /^(?:\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")/.exec(
      code.slice(at, at + 10_000),
    )
    if (rest) {
      // A text stays one, or an empty operand would be found in its place.
      masked += /^['"]/.test(rest[0]) ? `'${dots(rest[0].slice(2))}'` : dots(rest[0])
      at += rest[0].length
      continue
    }
    const letter = code[at]!
    if (letter === '`' || (letter === '}' && templates.at(-1) === 0)) {
      if (letter === '}') templates.pop()
      const part = /^[`}](?:\\[\s\S]|(?!\$\{)[^`\\])*(?:`|\$\{)?/.exec(code.slice(at, at + 50_000))![0]
      if (part.endsWith('${')) templates.push(0)
      masked +=
        letter === '`' ? `\`${dots(part.slice(1, -1))}${part.at(-1)}` : `}${dots(part.slice(1, -1))}${part.at(-1)}`
      at += part.length
      continue
    }
    const pattern = /^\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/.exec(code.slice(at, at + 2_000))
    if (pattern && /(?:[(,=:[!&|?{};]|return|=>)\s*$/.test(masked.slice(-20))) {
      masked += dots(pattern[0])
      at += pattern[0].length
      continue
    }
    if (templates.length > 0 && letter === '{') templates[templates.length - 1]!++
    if (templates.length > 0 && letter === '}') templates[templates.length - 1]!--
    masked += letter
    at++
  }
  return masked
}
