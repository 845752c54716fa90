/** Rosters as people have them: which column is which, what each line becomes, and the logins that are made. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { baseLogin, numberLogin } from '../../../src/judge/classes/roster/logins.ts'
import { readRoster } from '../../../src/judge/classes/roster/roster-text.ts'

const read = (text: string, mapping?: object) =>
  readRoster(text, mapping).entries.map(({ line, rosterName, login, email }) => [line, rosterName, login, email])

describe('a roster', () => {
  const cases: readonly [what: string, text: string, expected: (string | number)[][]][] = [
    [
      'one name a line',
      'Anna Müller\n\nBen Okri\n',
      [
        [1, 'Anna Müller', '', ''],
        [3, 'Ben Okri', '', ''],
      ],
    ],
    [
      'last name, comma, first name',
      'Müller, Anna\nOkri, Ben',
      [
        [1, 'Anna Müller', '', ''],
        [2, 'Ben Okri', '', ''],
      ],
    ],
    [
      'Moodle’s participants',
      '"First name","Last name","ID number",Institution,Department,"Email address"\n"Anna Maria",Müller,17,,,anna@school.example',
      [[2, 'Anna Maria Müller', '', 'anna@school.example']],
    ],
    [
      'Google Classroom’s grades',
      'Last Name,First Name,Email Address,Task 1\r\nMüller,Anna,anna@school.example,10\r\n',
      [[2, 'Anna Müller', '', 'anna@school.example']],
    ],
    ['Excel’s cells in German', 'Name\tVorname\tKlasse\nMüller\tAnna\t7b', [[2, 'Anna Müller', '', '']]],
    [
      'semicolons and a byte order mark, as Excel saves it',
      '\uFEFFNachname;Vorname;Benutzername;E-Mail-Adresse\r\nMüller;Anna;a.mueller;anna@school.example\r\n',
      [[2, 'Anna Müller', 'a.mueller', 'anna@school.example']],
    ],
    [
      'French',
      'Nom;Prénom;Adresse de courriel\nDurand;Zoé;zoe@ecole.example',
      [[2, 'Zoé Durand', '', 'zoe@ecole.example']],
    ],
    [
      'Spanish',
      'Apellidos;Nombre;Correo electrónico\nGarcía;Ana;ana@escuela.example',
      [[2, 'Ana García', '', 'ana@escuela.example']],
    ],
    ['Spanish, one column of names', 'Nombre\nAna García', [[2, 'Ana García', '', '']]],
    [
      'login and name without a header',
      'amueller, Anna Müller\nbokri, Ben Okri',
      [
        [1, 'Anna Müller', 'amueller', ''],
        [2, 'Ben Okri', 'bokri', ''],
      ],
    ],
    [
      'addresses alone',
      'anna@school.example\nben@school.example',
      [
        [1, '', '', 'anna@school.example'],
        [2, '', '', 'ben@school.example'],
      ],
    ],
    [
      'a cell of two lines',
      'Name,Note\n"Anna Müller","a\nb"\nBen Okri,',
      [
        [2, 'Anna Müller', '', ''],
        [4, 'Ben Okri', '', ''],
      ],
    ],
  ]
  for (const [what, text, expected] of cases)
    test(`is read: ${what}`, () => {
      assert.deepEqual(read(text), expected)
    })

  test('is read as its mapping says, whatever its header', () => {
    const text = 'Name,Vorname\nAnna,Müller'
    assert.deepEqual(read(text, { FirstName: 0, LastName: 1 }), [[2, 'Anna Müller', '', '']])
  })

  test('with a quote that is never closed is refused with its line', () => {
    assert.throws(() => readRoster('Name\n"Anna'), /line 2/)
  })

  const large: readonly [what: string, text: string, reason: RegExp][] = [
    ['of blank lines alone', '\n'.repeat(30_000), /more than 25000 lines/],
    ['of short lines, by an old line end', 'a\r'.repeat(500_000), /more than 25000 lines/],
    ['of one line with many cells', 'a,'.repeat(100_001), /more than 100000 cells/],
  ]
  for (const [what, text, reason] of large)
    test(`${what} is refused before it is taken apart`, () => {
      assert.throws(() => readRoster(text), reason)
    })
})

describe('a login', () => {
  const cases: readonly [name: string, email: string, login: string][] = [
    ['Anna Müller', '', 'anna-mueller'],
    ['Zoë O’Neill-Śmigły', '', 'zoe-oneill-smigly'],
    ['Jürgen Groß', '', 'juergen-gross'],
    ['Анна Щукина', 'anna.k@school.example', 'anna-shchukina'],
    ['Андрій Ковальчук', '', 'andrii-kovalchuk'],
    ['李', 'li.k@school.example', 'li-k'],
    ['李', '', 'student'],
    ['A'.repeat(60), '', 'a'.repeat(39)],
  ]
  for (const [rosterName, email, login] of cases)
    test(`of ${rosterName || email} is ${login}`, () => {
      assert.equal(baseLogin({ rosterName, email, number: '' }), login)
    })

  test('keeps its bound when it is numbered', () => {
    assert.equal(numberLogin('a'.repeat(39), 12), `${'a'.repeat(36)}-12`)
  })
})
