/** Raw files as a browser takes them: text as plain text, and SVG as a picture where a picture is asked for. */
import type { RestAnswer } from '../rest-answer.ts'

/**
 * Because of `nosniff` and the policy of every response, a browser treats the bytes neither as a page nor as a script.
 * Other pictures need no type; an SVG is drawn only with its own.
 */
export function forBrowsers(answer: RestAnswer, path: string, accept: string): RestAnswer {
  const { raw } = answer
  if (!raw || !/charset=utf-8$/.test(raw.type)) return answer
  if (accept.startsWith('text/html')) return { ...answer, raw: { ...raw, type: 'text/plain; charset=utf-8' } }
  const isPicture = accept.startsWith('image/') && /\.svg$/i.test(path)
  return isPicture ? { ...answer, raw: { ...raw, type: 'image/svg+xml' } } : answer
}
