/** The words of what somebody looks for. */

/** More narrow nothing. */
const mostWords = 8

export const splitWords = (text: string): string[] => text.trim().split(/\s+/).filter(Boolean).slice(0, mostWords)
