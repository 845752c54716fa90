/** What roles are called. */
import type { Role } from '../api/operations.ts'

export const roleNames: Readonly<Record<Role, string>> = {
  contestant: 'Contestant',
  problem_setter: 'Problem setter',
  admin: 'Admin',
  worker: 'Executor',
}
