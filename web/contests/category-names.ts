/** Categories of questions that are not about a problem. */
import type { Category } from '../api/contests.ts'

export const categoryNames: Readonly<Record<Category, string>> = {
  general: 'General',
  sysops: 'Computers and network',
  operations: 'Organisation',
}
