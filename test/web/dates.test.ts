/** Dates on the page: English words, in the order and with the hours that the browser's language has. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findDateStyle, makeDateFormat } from '../../web/parts/dates.ts'

const evening = Date.UTC(2026, 10, 19, 21, 30)

test('a date has the day first and 24 hours where the browser’s language has them', () => {
  const table: readonly (readonly [language: string, shown: RegExp])[] = [
    ['en-US', /^Nov 19, 2026, 9:30\sPM$/],
    ['en', /^Nov 19, 2026, 9:30\sPM$/],
    ['de-DE', /^19 Nov 2026, 21:30$/],
    ['fr', /^19 Nov 2026, 21:30$/],
    ['en-GB', /^19 Nov 2026, 21:30$/],
    ['en-AU', /^19 Nov 2026, 09:30\spm$/],
    ['sv', /^19 Nov 2026, 21:30$/],
    ['ja', /^19 Nov 2026, 21:30$/],
  ]
  for (const [language, shown] of table) {
    const options = { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' } as const
    assert.match(makeDateFormat(options, findDateStyle(language)).format(evening), shown, language)
  }
})
