/** Dates in English words, with the browser's own order of day and month, and its own hours: 24 of them, or 12. */
type Options = Intl.DateTimeFormatOptions

/** Only some English-speaking places write the month first. */
function putsMonthFirst(language: string): boolean {
  const parts = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'numeric' }).formatToParts(0)
  const [first] = parts.filter(({ type }) => type === 'day' || type === 'month')
  return first?.type === 'month' && language.startsWith('en')
}

/** The English of `language`, as formats of `Intl` know it, and the hours that people there read. */
export function findDateStyle(language: string): { readonly locale: string; readonly hourCycle: Options['hourCycle'] } {
  const { hourCycle } = new Intl.DateTimeFormat(language, { hour: 'numeric' }).resolvedOptions()
  return { locale: putsMonthFirst(language) ? 'en-US' : 'en-GB', hourCycle }
}

const own = findDateStyle(globalThis.navigator?.language ?? 'en-US')

/** The only way in which the page makes a format of dates. */
export function makeDateFormat(options: Options, { locale, hourCycle } = own): Intl.DateTimeFormat {
  const hasTime = options.timeStyle !== undefined || options.hour !== undefined
  return new Intl.DateTimeFormat(locale, { ...options, ...(hasTime && { hourCycle }) })
}
