/**
 * The file types that may be attached, and the type each is served as, by content and name, never by the client's
 * header.
 */
import { invalidField } from '../failures.ts'

/** Images that a browser shows and that cannot carry active content, each recognized by its first bytes. */
const images: readonly (readonly [type: string, endings: readonly string[], start: RegExp])[] = [
  ['image/png', ['png'], /^\x89PNG\r\n\x1a\n/],
  ['image/jpeg', ['jpg', 'jpeg'], /^\xff\xd8\xff/],
  ['image/gif', ['gif'], /^GIF8[79]a/],
  ['image/webp', ['webp'], /^RIFF....WEBP/s],
]

/** Always served as a download, whatever they contain. */
const others = new Set(
  'pdf txt md log csv tsv json jsonc yml yaml toml patch diff zip gz tgz tar bz2 xz 7z docx xlsx pptx odt ods odp svg mp4 mov webm mp3 wav ogg cpuprofile dmp'.split(
    ' ',
  ),
)

export const isShown = (contentType: string): boolean => images.some(([type]) => type === contentType)

export function chooseType(name: string, start: Buffer): string {
  const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
  const image = images.find(([, endings]) => endings.includes(ending))
  if (!image) {
    if (others.has(ending)) return 'application/octet-stream'
    throw invalidField(
      'name',
      'invalid',
      `Files that end in .${ending.slice(0, 20)} can’t be attached: put them in a zip.`,
    )
  }
  const [type, , pattern] = image
  if (!pattern.test(start.toString('latin1')))
    throw invalidField('body', 'invalid', `This is no ${type}, as its name says.`)
  return type
}
