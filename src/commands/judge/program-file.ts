/** A program to submit: read from a file, with its language given or by the file's ending. */
import { readFile, stat } from 'node:fs/promises'
import { basename, dirname, extname, resolve } from 'node:path'
import { OperatorError } from '../../lib/failure.ts'
import { languageOfExtension } from '../../lib/judging-rules/source-languages.ts'
import type { JudgeServer } from './server.ts'

export type ProgramFile = { readonly content: string; readonly stem: string; readonly extension: string }

export const languageByExtension = (path: string): string | undefined => languageOfExtension(extname(path).slice(1))

/** The server accepts 64,000 bytes by default; this only keeps a wrong file from being read. */
const mostBytes = 16 * 1024 * 1024

export async function readProgram(path: string): Promise<ProgramFile> {
  const found = await stat(path).catch(() => undefined)
  if (!found)
    throw new OperatorError(
      `There is no file ${basename(path)} in ${dirname(resolve(path))}: name it by its whole path.`,
    )
  if (!found.isFile()) throw new OperatorError(`${path} is not a file: name the program’s source.`)
  if (found.size > mostBytes)
    throw new OperatorError(`${path} has ${found.size} bytes: that is not a program’s source.`)
  const bytes = await readFile(path)
  if (bytes.length === 0) throw new OperatorError(`${path} is empty.`)
  const content = bytes.toString('utf8')
  if (!Buffer.from(content).equals(bytes)) throw new OperatorError(`${path} is not UTF-8 text: save it as UTF-8.`)
  const ending = extname(path)
  return { content, stem: basename(path, ending), extension: ending.slice(1).toLowerCase() }
}

type Language = { readonly Value: string; readonly Name: string }

/** Refuses languages that the server does not list: their verdict is known, and only the queue would grow. */
export async function chooseLanguage(
  { call }: JudgeServer,
  extension: string,
  said: string | undefined,
): Promise<Language> {
  const { SupportedLanguageList } = (await call('get_server_info', {})) as { SupportedLanguageList: Language[] }
  const word = said?.toLowerCase() ?? languageOfExtension(extension) ?? extension
  const chosen = SupportedLanguageList.find(
    ({ Value, Name }) => Value.toLowerCase() === word || Name.toLowerCase() === word,
  )
  if (chosen) return chosen
  const offered = SupportedLanguageList.map(({ Value }) => Value).join(', ')
  if (said !== undefined || languageOfExtension(extension))
    throw new OperatorError(`No executor here offers ${said ?? word}: there are ${offered}.`)
  const ending = extension === '' ? 'a file without an ending' : `.${extension}`
  throw new OperatorError(`The language of ${ending} is not known: say it with --language, one of ${offered}.`)
}
