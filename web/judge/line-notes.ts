/** Comments below the lines of code that they are about, drawn by the editor. */
import { type Extension, type Range, StateEffect, StateField, type Text } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view'

export type LineNote = {
  /** Counted from 1. */
  readonly line: number
  readonly author: string
  readonly text: string
}

class NoteWidget extends WidgetType {
  readonly note: LineNote
  constructor(note: LineNote) {
    super()
    this.note = note
  }
  override eq({ note }: NoteWidget): boolean {
    return note.author === this.note.author && note.text === this.note.text
  }
  override toDOM(): HTMLElement {
    const box = document.createElement('div')
    box.className = 'cm-line-note'
    const author = document.createElement('strong')
    author.textContent = this.note.author
    const text = document.createElement('div')
    text.textContent = this.note.text
    box.append(author, text)
    return box
  }
}

export const setNotes = StateEffect.define<readonly LineNote[]>()

function place(doc: Text, notes: readonly LineNote[]): DecorationSet {
  const ranges = notes
    .filter(({ line }) => line >= 1 && line <= doc.lines)
    .map((note): Range<Decoration> => {
      const widget = Decoration.widget({ widget: new NoteWidget(note), block: true, side: 1 })
      return widget.range(doc.line(note.line).to)
    })
  return Decoration.set(ranges, true)
}

const field = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(notes, { changes, effects, state }) {
    for (const effect of effects) if (effect.is(setNotes)) return place(state.doc, effect.value)
    return notes.map(changes)
  },
  provide: (own) => EditorView.decorations.from(own),
})

const look = EditorView.baseTheme({
  '.cm-line-note': {
    margin: '0.25rem 0.5rem 0.5rem',
    padding: '0.25rem 0.75rem',
    borderInlineStart: '4px solid var(--accent)',
    background: 'var(--accent-soft)',
    fontFamily: 'var(--sans, sans-serif)',
    whiteSpace: 'pre-wrap',
    overflowWrap: 'anywhere',
  },
})

export const lineNotes: Extension = [field, look]
