/** The files of a checker or an interactor: chosen, listed, looked into, taken out again. */
import { useState } from 'preact/hooks'
import { checkerLanguages, findCheckerLanguage, isSourceOfAny } from '../../../src/lib/judging-rules/checker-sources.ts'
import type { Program, ProgramFile } from '../../api/judging.ts'
import { formatBytes } from '../../parts/figures.ts'
import { FileButton } from '../../parts/file-button.tsx'
import { Field } from '../../parts/form.tsx'
import { Problem } from '../../parts/state.tsx'
import { toBase64 } from '../tests/zip-field.tsx'

const mostBytes = 4 * 1024 * 1024
const mostFiles = 100
const languageNames = { c: 'C', cpp: 'C++', python: 'Python', java: 'Java' } as const
/** A longer one would hold the page up. */
const mostShown = 50_000

type Props = {
  readonly what: string
  readonly hint: string
  readonly program: Program | null
  change(program: Program | null): void
}

export function ProgramField({ what, hint, program, change }: Props) {
  const [complaint, setComplaint] = useState('')
  const files = program?.FileList ?? []
  const add = async (chosen: readonly File[]) => {
    const read = await Promise.all(
      chosen.map(async (file): Promise<ProgramFile> => ({ Name: file.name, Content: await toBase64(file) })),
    )
    const names = new Set(read.map(({ Name }) => Name))
    const list = [...files.filter(({ Name }) => !names.has(Name)), ...read]
    const isTooMuch = list.length > mostFiles || list.reduce((sum, file) => sum + sizeOf(file), 0) > mostBytes
    const language = findCheckerLanguage(list.map(({ Name }) => Name).filter(isSourceOfAny)) ?? program?.Language
    if (isTooMuch) setComplaint(`At most ${mostFiles} files of ${formatBytes(mostBytes)} together.`)
    else if (!language) setComplaint('None of these files is a source in C, C++, Python or Java.')
    else {
      setComplaint('')
      change({ Language: language, FileList: list })
    }
  }
  const remove = (name: string) => {
    const list = files.filter(({ Name }) => Name !== name)
    change(list.length > 0 ? { ...program!, FileList: list } : null)
  }
  return (
    <>
      <FileButton label={`Files of the ${what}`} hint={hint} accept="" isMany choose={(chosen) => void add(chosen)} />
      {complaint && <Problem message={complaint} />}
      {program && (
        <>
          <ul class="files">
            {files.map((file) => (
              <li key={file.Name}>
                <details>
                  <summary>
                    {file.Name} <span class="soft small">{formatBytes(sizeOf(file))}</span>
                  </summary>
                  <Source file={file} />
                </details>
                <button
                  type="button"
                  class="button quiet tight"
                  onClick={() => remove(file.Name)}
                  aria-label={`Remove ${file.Name} from the ${what}`}
                >
                  Remove
                </button>
              </li>
            ))}
          </ul>
          <Field label={`Language of the ${what}`}>
            <select
              value={program.Language}
              onChange={(event) => change({ ...program, Language: event.currentTarget.value as Program['Language'] })}
            >
              {checkerLanguages.map((language) => (
                <option key={language} value={language}>
                  {languageNames[language]}
                </option>
              ))}
            </select>
          </Field>
        </>
      )}
    </>
  )
}

const sizeOf = ({ Content }: ProgramFile): number =>
  (Content.length / 4) * 3 - (Content.endsWith('==') ? 2 : Content.endsWith('=') ? 1 : 0)

function Source({ file }: { file: ProgramFile }) {
  const bytes = Uint8Array.from(atob(file.Content.slice(0, mostShown)), (letter) => letter.charCodeAt(0))
  return (
    <pre tabIndex={0}>
      {new TextDecoder().decode(bytes)}
      {file.Content.length > mostShown && ' …'}
    </pre>
  )
}
