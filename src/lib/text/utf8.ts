/** Text of files that people choose: UTF-8 or refused, since unreadable characters would be replaced silently. */
export const notUtf8 =
  'not UTF-8 text: save it as UTF-8 (a spreadsheet calls that “CSV UTF-8”), or convert it first: iconv -f WINDOWS-1252 -t UTF-8 FILE'

/** Undefined if the bytes are not UTF-8. A byte order mark is kept. */
export function decodeUtf8(bytes: ArrayBuffer | Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
