/** json and jsonl: the stored bytes themselves, joined by commas or left as lines. */

const comma = 0x2c
const lineFeed = 0x0a

/** The items of the lines separated by commas, with none after the last. */
export function joinByCommas(lines: Buffer): Buffer {
  const joined = Buffer.from(lines.subarray(0, Math.max(lines.length - 1, 0)))
  for (let at = joined.indexOf(lineFeed); at >= 0; at = joined.indexOf(lineFeed, at + 1)) joined[at] = comma
  return joined
}
