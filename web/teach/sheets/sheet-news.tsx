/** What a student has not seen of a sheet (marks, comments, changed verdicts), or a teacher of their students. */
import { Fragment } from 'preact'
import { plural } from '../../../src/lib/text/plural.ts'
import type { SheetNews } from '../../api/classes.ts'
import { call } from '../../api/rpc.ts'
import { useLoad } from '../../app/load.ts'
import { When } from '../../parts/when.tsx'

export function NewsWords({
  news: { MarkCount, CommentCount, SubmissionIDList, RejudgedIDList },
}: {
  news: SheetNews
}) {
  const parts = [
    MarkCount > 0 && plural(MarkCount, 'mark'),
    CommentCount > 0 && (
      <>
        {plural(CommentCount, 'comment')} on <SubmissionLinks ids={SubmissionIDList} />
      </>
    ),
    RejudgedIDList.length > 0 && (
      <>
        judged again with another result: <SubmissionLinks ids={RejudgedIDList} />
      </>
    ),
  ].filter(Boolean)
  return (
    <>
      {parts.map((part, at) => (
        <Fragment key={at}>
          {at > 0 && ', '}
          {part}
        </Fragment>
      ))}
    </>
  )
}

const SubmissionLinks = ({ ids }: { ids: readonly number[] }) => (
  <>
    {ids.map((id, at) => (
      <Fragment key={id}>
        {at > 0 && ', '}
        <a href={`/-/judge/submissions/${id}`}>submission {id}</a>
      </Fragment>
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
