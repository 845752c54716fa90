/** Times as GraphQL's scalars have them: `2026-03-10T12:00:00Z`. */

export const formatTime = (date: Date): string => `${date.toISOString().slice(0, 19)}Z`
export const formatTimeOrNull = (date: Date | null): string | null => date && formatTime(date)
