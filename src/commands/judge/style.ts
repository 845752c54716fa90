/** Colours and overwritten lines for terminals; a file or a pipe gets plain lines. */
import { stripVTControlCharacters } from 'node:util'

export type Screen = { readonly isTTY?: boolean; readonly columns?: number; write(text: string): unknown }

export type Style = ReturnType<typeof makeStyle>

export function makeStyle(screen: Screen, environment: NodeJS.ProcessEnv) {
  const isTerminal = screen.isTTY === true && environment.TERM !== 'dumb'
  // https://no-color.org: any non-empty value.
  const isColoured = isTerminal && !environment.NO_COLOR
  const paint = (code: number) => (text: string) => (isColoured ? `\x1b[${code}m${text}\x1b[0m` : text)
  return {
    isTerminal,
    bold: paint(1),
    soft: paint(2),
    bad: paint(31),
    good: paint(32),
    waiting: paint(33),
    /** Overwrites the last line; only on a terminal. */
    redraw(text: string): void {
      if (isTerminal) screen.write(`\r\x1b[K${text}`)
    },
    line(text: string): void {
      screen.write(`${isTerminal ? '\r\x1b[K' : ''}${text}\n`)
    },
  }
}

/** Replaces control characters, which a terminal would obey, in texts of others. Line ends and tabs stay. */
export const harmless = (text: string): string =>
  stripVTControlCharacters(text).replace(/[^\P{Cc}\n\t]|[\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, '\ufffd')
