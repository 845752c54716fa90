/** Splits a search text into words. */

/** More words would not narrow a search. */
const mostWords = 8

export const splitWords = (text: string): string[] => text.trim().split(/\s+/).filter(Boolean).slice(0, mostWords)
