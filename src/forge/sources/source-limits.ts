/** The limits of imports by address and of mirrors; the settings may change them. */

export const defaultSourceLimits = {
  /** The time of one fetch. */
  minutes: 120,
  /** A source that sends nothing for so long, or less than a kibibyte a second on average, is given up. */
  silentSeconds: 60,
  /** The list of the source's refs, in MiB. */
  listMib: 16,
  /** Branches, tags and notes that are taken of a source. */
  refs: 50_000,
  /** Fetches at a time of one server: in all, and of one person. */
  atOnce: 16,
  atOncePerPerson: 2,
  /** Imports of one person that are not finished, mirrors of one person. */
  openPerPerson: 20,
  mirrorsPerPerson: 100,
  /** The shortest and the longest time between two fetches of a mirror. */
  leastMinutes: 10,
  mostMinutes: 43_200,
  /** How soon a repository is fetched again when somebody asks for it. */
  againSeconds: 5,
}

export type SourceLimits = typeof defaultSourceLimits
