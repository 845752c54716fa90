/** The order of students in results and spreadsheets: that of a list of names, in which Änne stands beside Anne. */
type Person = { readonly accountName: string; readonly rosterName: string }

const names = new Intl.Collator('en')

export const byName = (a: Person, b: Person): number =>
  names.compare(a.rosterName, b.rosterName) || (a.accountName < b.accountName ? -1 : 1)
