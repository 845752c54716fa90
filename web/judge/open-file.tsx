/** Opens a source file in the editor: its language is known by its ending. */
import { useRef, useState } from 'preact/hooks'
import { ask } from '../parts/ask.tsx'

const languages: Readonly<Record<string, string>> = {
  c: 'c',
  cc: 'cpp',
  cpp: 'cpp',
  cxx: 'cpp',
  go: 'go',
  java: 'java',
  js: 'javascript',
  mjs: 'javascript',
  py: 'python',
  rs: 'rust',
  ts: 'typescript',
}

/** The server refuses far smaller ones; this only keeps a wrong file from being read. */
const mostBytes = 1024 * 1024

type Props = {
  readonly isDraftEmpty: boolean
  /** `language`: undefined where the file's ending tells none. */
  open(content: string, language: string | undefined): void
}

export function OpenFile({ isDraftEmpty, open }: Props) {
  const input = useRef<HTMLInputElement>(null)
  const [complaint, setComplaint] = useState('')
  const read = async (file: File) => {
    setComplaint('')
    if (file.size > mostBytes) return setComplaint(`${file.name} is too large for a program.`)
    let content: string
    try {
      content = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer())
    } catch {
      return setComplaint(`${file.name} is not UTF-8 text.`)
    }
    const question = { title: 'Replace your program?', text: `It will be replaced by ${file.name}.`, action: 'Replace' }
    if (!isDraftEmpty && !(await ask(question))) return
    open(content, languages[file.name.split('.').at(-1)!.toLowerCase()])
  }
  return (
    <>
      <button type="button" class="button quiet tight" onClick={() => input.current?.click()}>
        Open file
      </button>
      <input
        ref={input}
        type="file"
        hidden
        aria-label="Source file"
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? []
          if (file) void read(file)
          event.currentTarget.value = ''
        }}
      />
      {complaint && (
        <span role="alert" class="small">
          {complaint}
        </span>
      )}
    </>
  )
}
