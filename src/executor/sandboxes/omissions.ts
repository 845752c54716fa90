/** Protections that an operator may let the executor judge without. */

/** Optional protections by name; `cgroup` is the namespace, `limits` are those that a cgroup enforces. */
export const omissions = ['filter', 'ipc', 'net', 'uts', 'cgroup', 'limits'] as const
export type Omission = (typeof omissions)[number]
