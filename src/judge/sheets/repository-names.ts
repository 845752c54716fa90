/** Names of students' copies of a template: `<class>-<sheet>-<login>`, as a valid repository name. */

const mostOfPart = 40
const most = 100
/** How many names are tried if one is taken. */
const tries = 20

/** Letters lose their accents; anything but letters and digits becomes a hyphen. */
export function spellPart(text: string, longest = mostOfPart): string {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/ß/g, 'ss')
    .replace(/[^A-Za-z0-9_]+/g, '-')
    .toLowerCase()
  return plain.slice(0, longest).replace(/^-+|-+$/g, '')
}

/** Candidates in order. If the title has no letters, the sheet's number is used. */
export function* listCopyNames(
  classId: string,
  sheet: { readonly id: number; readonly title: string },
  login: string,
): Generator<string> {
  const person = spellPart(login) || 'student'
  const first = [spellPart(classId), spellPart(sheet.title) || `sheet-${sheet.id}`].filter(Boolean).join('-')
  const stem = `${first.slice(0, most - 4 - person.length)}-${person}`
  yield stem
  for (let count = 2; count <= tries; count++) yield `${stem}-${count}`
}
