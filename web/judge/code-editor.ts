/** The code editor, loaded when a view needs it. It lies in a shadow root, whose style sheets the page's policy lets be. */
import { closeBrackets, closeBracketsKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from '@codemirror/language'
import { Annotation, Compartment, EditorState } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { loadLanguage } from '../parts/languages.ts'
import { type LineNote, lineNotes, setNotes } from './line-notes.ts'

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword], color: 'var(--code-word)' },
  { tag: [tags.string, tags.special(tags.string), tags.character], color: 'var(--code-text)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--code-number)' },
  { tag: [tags.comment, tags.meta], color: 'var(--code-note)', fontStyle: 'italic' },
  {
    tag: [tags.function(tags.variableName), tags.typeName, tags.className, tags.definition(tags.variableName)],
    color: 'var(--code-name)',
  },
])

const look = EditorView.theme({
  '&': { color: 'var(--ink)', backgroundColor: 'var(--card)', fontSize: '0.875rem', height: '100%' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
  '.cm-content': { caretColor: 'var(--ink)', padding: '0.75rem 0' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'var(--card)', color: 'var(--soft)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'color-mix(in srgb, var(--sunk) 60%, transparent)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--accent-soft)',
  },
})

/** Marks a text that is put into the editor, of which nobody has to be told. */
const isGiven = Annotation.define<true>()

export type CodeEditor = {
  setText(text: string): void
  setNotes(notes: readonly LineNote[]): void
  setLanguage(language: string): Promise<void>
  close(): void
}

type Options = {
  readonly text: string
  readonly label: string
  readonly isReadOnly?: boolean
  onChange?(text: string): void
  /** Ctrl+Enter, or Command+Enter. */
  onSubmit?(): void
}

export function openCodeEditor(
  place: HTMLElement,
  { text, label, isReadOnly, onChange, onSubmit }: Options,
): CodeEditor {
  const root = place.shadowRoot ?? place.attachShadow({ mode: 'open' })
  root.replaceChildren()
  const language = new Compartment()
  const submit = () => {
    onSubmit?.()
    return onSubmit !== undefined
  }
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        keymap.of([{ key: 'Mod-Enter', run: submit, preventDefault: true }]),
        lineNumbers(),
        highlightActiveLineGutter(),
        highlightActiveLine(),
        history(),
        drawSelection(),
        indentOnInput(),
        indentUnit.of('    '),
        bracketMatching(),
        closeBrackets(),
        syntaxHighlighting(colours),
        look,
        lineNotes,
        language.of([]),
        keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, indentWithTab]),
        EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false' }),
        EditorView.updateListener.of(({ docChanged, state, transactions }) => {
          if (docChanged && !transactions.some((one) => one.annotation(isGiven))) onChange?.(state.doc.toString())
        }),
        ...(isReadOnly
          ? [
              EditorState.readOnly.of(true),
              EditorView.editable.of(false),
              EditorView.contentAttributes.of({ tabindex: '0' }),
            ]
          : []),
      ],
    }),
  })
  return {
    setText: (next) =>
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert: next },
        annotations: isGiven.of(true),
      }),
    setNotes: (notes) => view.dispatch({ effects: setNotes.of(notes) }),
    async setLanguage(name) {
      const extension = (await loadLanguage(name)) ?? []
      view.dispatch({ effects: language.reconfigure(extension) })
    },
    close: () => view.destroy(),
  }
}
