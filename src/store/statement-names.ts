/**
 * Statements that PostgreSQL keeps a plan of, on each connection, by name: those that every request sends. Not any other: a
 * migration of a newer server that adds a column would make the plan of a `select *` fail from then on.
 */
const names = new Map<string, string>()

/** Answers the statement itself. */
export function nameStatement(name: string, statement: string): string {
  names.set(statement, name)
  return statement
}

export const nameOf = (statement: string): string | undefined => names.get(statement)
