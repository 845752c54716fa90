/** A worker thread that renders statements. */
import { renderStatement } from './rendering.ts'

export default (text: string): string => renderStatement(text)
