/** A worker thread that compares programs. */
import { type ComparisonResult, type ComparisonTask, compare } from './comparison.ts'

export default (task: ComparisonTask): ComparisonResult => compare(task)
