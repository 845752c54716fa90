/**
 * The state that all parts of a conversion share: unknown commands, footnotes, and the function that converts nested
 * content.
 */

export type TexConversion = {
  /** Commands and environments outside the supported subset. */
  readonly unknown: Set<string>
  readonly footnotes: string[]
  /** The value of a constant of the package, for `\constant{name}`. */
  constant(name: string): string | undefined
  /** Converts nested content: an argument, or the body of an environment. */
  convert(source: string): string
}
