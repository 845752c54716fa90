/** What an operator may have the executor judge without. */

/** The protections that an operator may do without, by name; `cgroup` is the namespace, `limits` what a cgroup enforces. */
export const omissions = ['filter', 'ipc', 'net', 'uts', 'cgroup', 'limits'] as const
export type Omission = (typeof omissions)[number]
