/** What the parts of a conversion share: what was not understood, the footnotes, and the way to convert what stands within. */

export type TexConversion = {
  /** Commands and environments that are not in the subset. */
  readonly unknown: Set<string>
  readonly footnotes: string[]
  /** The value of a constant of the package, for `\constant{name}`. */
  constant(name: string): string | undefined
  /** Converts what stands within: an argument, the inside of an environment. */
  convert(source: string): string
}
