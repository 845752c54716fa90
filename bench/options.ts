/** Options of a bench on the command line: `--name=value` or `--name value`. */

export function readOption(name: string, words: readonly string[] = process.argv): string | undefined {
  const at = words.findIndex((word) => word === `--${name}` || word.startsWith(`--${name}=`))
  if (at < 0) return undefined
  const [, joined] = words[at]!.split('=')
  return joined ?? words[at + 1]
}
