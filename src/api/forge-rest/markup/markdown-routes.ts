/** Renders Markdown for any caller, without storing it. */
import type { Renderer } from '../../../forge/markup/renderer.ts'
import { anyone } from '../doors.ts'
import { type RestAnswer, raw } from '../rest-answer.ts'
import { type ForgeCall, type Route, route } from '../route.ts'
import { OneOf, Optional, Shape, Text } from '../schemas.ts'

/** Fits the longest documents that people write. */
const maxCharacters = 400_000

type Request = { readonly text: string; readonly mode?: 'markdown' | 'gfm'; readonly context?: string }

async function render(
  renderer: Renderer,
  { caller, view }: ForgeCall,
  { text, mode, context }: Request,
): Promise<RestAnswer> {
  const isOfRepository = mode === 'gfm' && context !== undefined && /^[A-Za-z0-9-]{1,39}\/[\w.-]{1,100}$/.test(context)
  const place = { origin: view.origin, breaks: mode === 'gfm', ...(isOfRepository && { repository: context }) }
  const [rendered] = await renderer.render(caller.key, [text], ['html'], place)
  return raw('text/html; charset=utf-8', Buffer.from(rendered!.html!))
}

export const markdownRoutes = ({ renderer }: { renderer: Renderer }): readonly Route[] => [
  route('POST /markdown', {
    id: 'render-a-markdown-document',
    summary:
      'Markdown as HTML. `mode: gfm` breaks lines as comments do, and `context`, `owner/name`, is what `#12` is a number of.',
    door: anyone,
    points: 1,
    body: Shape({
      text: Text(maxCharacters),
      mode: Optional(OneOf('markdown', 'gfm')),
      context: Optional(Text(200)),
    }),
    handle: (call) => render(renderer, call, call.body),
  }),
  route('POST /markdown/raw', {
    id: 'render-a-markdown-document-in-raw-mode',
    summary: 'Markdown as HTML: the body is the text itself.',
    door: anyone,
    points: 1,
    takesText: true,
    body: Shape({ text: Text(maxCharacters) }),
    handle: (call) => render(renderer, call, call.body),
  }),
]
