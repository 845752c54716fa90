/** Marks and comments that a student has not seen, or a teacher of their students: in a few words, and as a list. */
import { plural } from '../../../src/lib/text/plural.ts'
import type { SheetNews } from '../../api/classes.ts'
import { call } from '../../api/rpc.ts'
import { useLoad } from '../../app/load.ts'
import { When } from '../../parts/when.tsx'

export const NewsWords = ({ news: { MarkCount, CommentCount, SubmissionIDList } }: { news: SheetNews }) => (
  <>
    {MarkCount > 0 && plural(MarkCount, 'mark')}
    {MarkCount > 0 && CommentCount > 0 && ', '}
    {CommentCount > 0 && `${plural(CommentCount, 'comment')} on `}
    {SubmissionIDList.map((id, at) => (
      <span key={id}>
        {at > 0 && ', '}
        <a href={`/-/judge/submissions/${id}`}>submission {id}</a>
      </span>
    ))}
  </>
)

/** Marks the news as seen. */
async function readNews(SheetID: number) {
  const { NewsList } = await call('get_sheet_news', {})
  const news = NewsList.find((one) => one.SheetID === SheetID)
  if (news) await call('see_sheet', { SheetID })
  return news
}

export function NewsOfSheet({ id }: { id: number }) {
  const { value } = useLoad(`news of ${id}`, () => readNews(id))
  if (!value) return null
  return (
    <div class="notice good" role="status">
      <p>
        New: <NewsWords news={value} />
      </p>
    </div>
  )
}

export function NewsOfSheets({ list }: { list: readonly SheetNews[] }) {
  if (list.length === 0) return null
  return (
    <section class="card flush" aria-labelledby="news">
      <h2 id="news" class="card-title">
        New on your sheets
      </h2>
      <ul class="rows">
        {list.map((news) => (
          <li key={news.SheetID}>
            <div class="grow">
              <a href={`/-/sheets/${news.SheetID}`}>{news.Title}</a>
              <div class="soft small">
                <NewsWords news={news} /> · <When at={news.Time} />
              </div>
            </div>
            <span class="badge wait">New</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
