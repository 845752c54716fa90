/** Faults that no user could see, told from the others by reading them: each with the reason. */

export const unseen: Readonly<Record<string, string>> = {}
