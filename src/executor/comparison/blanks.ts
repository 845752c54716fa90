/** Blanks as in C's isspace. */

export const newline = 0x0a
export const isBlank = (byte: number): boolean =>
  byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0x0c || byte === 0x0b
export const isBlankOrNewline = (byte: number): boolean => byte === newline || isBlank(byte)
