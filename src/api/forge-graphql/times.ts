/** Times in the format of GraphQL's scalars: `2026-03-10T12:00:00Z`. */

export const formatTime = (date: Date): string => `${date.toISOString().slice(0, 19)}Z`
export const formatTimeOrNull = (date: Date | null): string | null => date && formatTime(date)
