/** Files that are pasted or dropped into a text: each is uploaded, and its address takes the place that was held for it. */
import { Fault } from '../../api/fault.ts'
import { repositoryPath } from '../../api/forge.ts'
import { upload } from '../../api/upload.ts'

/** `owner/name` of the repository that keeps the file. Answers the Markdown that shows it. */
export async function attach(repository: string, file: File): Promise<string> {
  const [owner = '', name = ''] = repository.split('/')
  const fileName = nameOf(file)
  const url = `${repositoryPath(owner, name, 'attachments')}?${new URLSearchParams({ name: fileName })}`
  const { status, text } = await upload({ url, type: file.type || 'application/octet-stream', body: file })
  const answer = readAnswer(text)
  if (status !== 201 || !answer.url)
    throw new Fault(status, `${fileName} could not be attached: ${answer.message ?? `the server answered ${status}`}`)
  return `${answer.content_type?.startsWith('image/') ? '!' : ''}[${escapeName(fileName)}](${answer.url})`
}

/** Stands in the text while the file is on its way. */
export const placeholderFor = (file: File, at: number): string => `[Uploading ${escapeName(nameOf(file))} … (${at})]()`

/** What is pasted from a screen has no name of its own. */
const nameOf = ({ name, type }: File): string =>
  (name || `picture.${type.split('/')[1]?.replace(/\W.*/, '') ?? 'png'}`).replace(/[/\\]/g, '-').slice(-100)

const escapeName = (name: string): string => name.replace(/[[\]\\]/g, '\\$&')

function readAnswer(text: string): { url?: string; content_type?: string; message?: string } {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
