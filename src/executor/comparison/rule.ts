/** What a built-in rule of comparison is. */

/** A rule compares byte after byte and holds no more of either text than a number may have digits. */
export type Rule = {
  /** Answers the place in the chunk where the texts differ, or -1. */
  feed(chunk: Uint8Array): number
  /** Ends the output and answers whether it matches. */
  finish(): boolean
}
