/** A worker thread that renders statements. */
import { renderStatement, type StatementTask } from './rendering.ts'

export default (task: StatementTask): string => renderStatement(task)
