/** The interface of a built-in comparison rule. */

/** A rule compares byte by byte, and buffers at most the digits of one number. */
export type Rule = {
  /** Returns the index in the chunk of the first difference, or -1. */
  feed(chunk: Uint8Array): number
  /** Ends the output and returns whether it matches. */
  finish(): boolean
}
