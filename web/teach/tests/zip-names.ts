/** The names of the files in a zip, as its list at the end tells them: nothing is unpacked. */
const listMark = 0x02014b50
const endMark = 0x06054b50
const endLength = 22
/** A comment may stand behind the end, of at most so many bytes. */
const mostComment = 65_535

/** Empty if the file is not a zip; the server reports that. */
export async function listZipNames(file: Blob): Promise<string[]> {
  const tail = new DataView(await file.slice(Math.max(0, file.size - endLength - mostComment)).arrayBuffer())
  let end = tail.byteLength - endLength
  while (end >= 0 && tail.getUint32(end, true) !== endMark) end--
  if (end < 0) return []
  const length = tail.getUint32(end + 12, true)
  const start = tail.getUint32(end + 16, true)
  const list = new DataView(await file.slice(start, start + length).arrayBuffer())
  const names: string[] = []
  for (let at = 0; at + 46 <= list.byteLength && list.getUint32(at, true) === listMark; ) {
    const nameLength = list.getUint16(at + 28, true)
    const others = list.getUint16(at + 30, true) + list.getUint16(at + 32, true)
    if (at + 46 + nameLength > list.byteLength) break
    names.push(new TextDecoder().decode(new Uint8Array(list.buffer, at + 46, nameLength)))
    at += 46 + nameLength + others
  }
  return names.filter((name) => !name.endsWith('/'))
}

/**
 * Files that belong to no test: tests are `NAME.in` with `NAME.out` or `NAME.ans`, or `input.txt` with `output.txt`.
 */
export const listOthers = (names: readonly string[]): string[] =>
  names.filter((name) => !/\.(?:in|out|ans)$|(?:^|\/)(?:input|output)\.txt$/.test(name))
