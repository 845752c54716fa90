/** Colours the blocks of code in a text, in place: each word becomes an element of its own, and no text becomes markup. */
import { classHighlighter, highlightCode } from '@lezer/highlight'
import { loadLanguage } from './languages.ts'

/** A longer one would hold the page up. */
const mostCharacters = 50_000

export async function highlightBlocks(place: Element): Promise<void> {
  for (const code of place.querySelectorAll('pre > code[class^="language-"]')) {
    const text = code.textContent ?? ''
    const language = await loadLanguage(code.className.slice('language-'.length))
    if (!language || text.length > mostCharacters || !code.isConnected) continue
    const pieces: Node[] = []
    highlightCode(
      text,
      language.language.parser.parse(text),
      classHighlighter,
      (piece, classes) => {
        if (!classes) return void pieces.push(document.createTextNode(piece))
        const word = document.createElement('span')
        word.className = classes
        word.textContent = piece
        pieces.push(word)
      },
      () => void pieces.push(document.createTextNode('\n')),
    )
    code.replaceChildren(...pieces)
  }
}
