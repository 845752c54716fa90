/**
 * Markdown as TeX, for legacy packages: headings, lists, code, emphasis and maths; everything else is kept as it is.
 */

/** `name` is the problem's name, with which a TeX statement begins. */
export function markdownToTex(name: string, text: string): string {
  const out: string[] = [`\\problemname{${escapeTex(name)}}`, '']
  let list: 'itemize' | 'enumerate' | undefined
  let fence: string | undefined
  const endList = () => {
    if (list) out.push(`\\end{${list}}`)
    list = undefined
  }
  for (const line of text.split('\n')) {
    const trimmed = line.trimStart()
    const isFence = trimmed.startsWith('```') || trimmed.startsWith('~~~')
    if (fence !== undefined) {
      const ends = trimmed.startsWith(fence) && trimmed.slice(fence.length).trim() === ''
      // Such a line would end the environment.
      out.push(ends ? '\\end{verbatim}' : line.replaceAll('\\end{verbatim}', '\\end {verbatim}'))
      if (ends) fence = undefined
      continue
    }
    const heading = /^(#{1,6})[ \t]+(.*)$/.exec(trimmed)
    const item = /^([-*+]|\d{1,9}[.)])[ \t]+(.*)$/.exec(trimmed)
    const kind = item && (/^\d/.test(item[1]!) ? 'enumerate' : 'itemize')
    if (list && kind !== list && (trimmed !== '' || kind)) {
      // An indented line belongs to the item before it.
      if (!item && line !== trimmed) {
        out.push(inline(trimmed))
        continue
      }
      endList()
    }
    if (isFence) {
      fence = trimmed.slice(0, 3)
      out.push('\\begin{verbatim}')
    } else if (heading) {
      out.push(
        `\\${heading[1]!.length > 2 ? 'subsection' : 'section'}*{${inline(heading[2]!.replace(/[ \t]#*$/, ''))}}`,
      )
    } else if (kind) {
      if (!list) out.push(`\\begin{${kind}}`)
      list = kind
      out.push(`\\item ${inline(item[2]!)}`)
    } else out.push(inline(line))
  }
  endList()
  if (fence !== undefined) out.push('\\end{verbatim}')
  return `${out.join('\n').trimEnd()}\n`
}

const special: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash{}',
  '^': '\\textasciicircum{}',
  '~': '\\textasciitilde{}',
}

const escapeTex = (text: string): string => text.replace(/[\\{}$&#%_^~]/g, (letter) => special[letter] ?? `\\${letter}`)

/** Maths is kept, code is set in a monospaced font, and the rest is escaped. */
function inline(line: string): string {
  const parts = line.split(/(\$\$[^$]*\$\$|\$[^$]*\$|`[^`]*`)/)
  return parts
    .map((part, i) => {
      if (i % 2 === 0) return emphasise(escapeTex(part.replace(/\\([!-/:-@[-`{-~])/g, '$1')))
      if (part.startsWith('$$')) return `\\[${part.slice(2, -2)}\\]`
      return part.startsWith('$') ? part : `\\texttt{${escapeTex(part.slice(1, -1))}}`
    })
    .join('')
}

const emphasise = (text: string): string =>
  text.replace(/\*\*([^*]+)\*\*/g, '\\textbf{$1}').replace(/\*([^*\s][^*]*)\*/g, '\\emph{$1}')
