/**
 * Finds the meaning of a roster's columns from headers in English, German, French or Spanish, or else from their cells.
 */

export const rosterFields = ['FirstName', 'LastName', 'FullName', 'Login', 'Email', 'Number'] as const
export type RosterField = (typeof rosterFields)[number]

/** Columns are counted from 0. */
export type ColumnFields = Readonly<Partial<Record<RosterField, number>>>

/** Without accents and punctuation, in lower case: `E-Mail-Adresse` becomes `e mail adresse`. */
const headers: Record<RosterField, readonly string[]> = {
  FirstName: [
    'first name',
    'firstname',
    'given name',
    'given names',
    'forename',
    'vorname',
    'vornamen',
    'rufname',
    'prenom',
    'prenoms',
    'nombre',
    'nombres',
    'nombre de pila',
  ],
  LastName: [
    'last name',
    'lastname',
    'surname',
    'family name',
    'nachname',
    'familienname',
    'zuname',
    'nom',
    'nom de famille',
    'apellido',
    'apellidos',
    'primer apellido',
  ],
  FullName: [
    'full name',
    'fullname',
    'name',
    'names',
    'student',
    'student name',
    'display name',
    'vollstandiger name',
    'voller name',
    'schuler',
    'schulername',
    'name des schulers',
    'studierende',
    'anzeigename',
    'nom complet',
    'nom et prenom',
    'prenom et nom',
    'eleve',
    'etudiant',
    'nombre completo',
    'nombre y apellidos',
    'apellidos y nombre',
    'alumno',
    'alumna',
    'estudiante',
  ],
  Login: [
    'login',
    'login name',
    'username',
    'user name',
    'user',
    'account',
    'account name',
    'accountname',
    'sign in name',
    'benutzername',
    'benutzer',
    'anmeldename',
    'kennung',
    'nutzername',
    'konto',
    'identifiant',
    'nom d utilisateur',
    'utilisateur',
    'compte',
    'usuario',
    'nombre de usuario',
    'cuenta',
  ],
  Email: [
    'e mail',
    'email',
    'mail',
    'email address',
    'e mail address',
    'e mail adresse',
    'emailadresse',
    'mailadresse',
    'adresse e mail',
    'adresse mail',
    'adresse de courriel',
    'courriel',
    'mel',
    'adresse electronique',
    'correo',
    'correo electronico',
    'direccion de correo',
    'direccion de correo electronico',
  ],
  Number: [
    'number',
    'no',
    'nr',
    'id',
    'id number',
    'student id',
    'student number',
    'nummer',
    'id nummer',
    'matrikelnummer',
    'matrikelnr',
    'schulernummer',
    'lfd nr',
    'numero',
    'n',
    'numero d identification',
    'numero d etudiant',
    'numero etudiant',
    'numero de id',
    'numero de identificacion',
    'numero de alumno',
    'matricula',
  ],
}

const fieldOfHeader = new Map(rosterFields.flatMap((field) => headers[field].map((word) => [word, field] as const)))

/** No header is longer than this. */
const mostOfHeader = 100

export const normalizeHeader = (text: string): string =>
  text
    .slice(0, mostOfHeader)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/ß/g, 'ss')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/**
 * If two columns have the same meaning, the first counts. Undefined if the row has no headers, so it is a student's.
 */
export function findHeader(cells: readonly string[]): ColumnFields | undefined {
  const found: Partial<Record<RosterField, number>> = {}
  cells.forEach((cell, at) => {
    const field = fieldOfHeader.get(normalizeHeader(cell))
    if (field) found[field] ??= at
  })
  if (Object.keys(found).length === 0) return undefined
  return refine(found)
}

/** "Name" beside "Vorname" is the last name; "Nombre" or "Nom" alone is the full name. */
function refine({ FirstName, LastName, FullName, ...others }: ColumnFields): ColumnFields {
  if (FirstName !== undefined && LastName === undefined && FullName !== undefined)
    return { ...others, FirstName, LastName: FullName }
  if (FullName !== undefined) return { ...others, FullName }
  if (FirstName !== undefined && LastName !== undefined) return { ...others, FirstName, LastName }
  const only = FirstName ?? LastName
  return only === undefined ? others : { ...others, FullName: only }
}

const email = /^[^\s@]+@[^\s@]+$/
const digits = /^[\d./-]+$/
const login = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

/** For a roster without headers. `isSpaced`: a blank follows each comma, as in `Müller, Anna`. */
export function guessFields(rows: readonly (readonly string[])[], isSpaced: boolean): ColumnFields {
  const width = Math.max(0, ...rows.map((row) => row.length))
  const found: Partial<Record<RosterField, number>> = {}
  const names: number[] = []
  for (let at = 0; at < width; at++) {
    const cells = rows.map((row) => row[at] ?? '').filter(Boolean)
    if (cells.length === 0) continue
    if (cells.every((cell) => email.test(cell))) found.Email ??= at
    else if (cells.every((cell) => digits.test(cell))) found.Number ??= at
    else names.push(at)
  }
  const isLogin = (at: number) => rows.every((row) => login.test(row[at] ?? ''))
  const loginAt = names.length > 1 ? names.find(isLogin) : undefined
  if (loginAt !== undefined) found.Login = loginAt
  const [first, second] = names.filter((at) => at !== loginAt)
  if (first === undefined) return found
  if (second === undefined) return { ...found, FullName: first }
  return isSpaced ? { ...found, LastName: first, FirstName: second } : { ...found, FirstName: first, LastName: second }
}
