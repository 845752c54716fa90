/** Classes that one teaches or attends, what is due in them, and how one makes or joins another. */
import { useState } from 'preact/hooks'
import { spellLatin } from '../../../src/lib/text/latin.ts'
import { plural } from '../../../src/lib/text/plural.ts'
import type { Class } from '../../api/classes.ts'
import { call } from '../../api/rpc.ts'
import { forgetAll, useLoad } from '../../app/load.ts'
import { go } from '../../app/location.ts'
import { useSignedIn } from '../../app/page.ts'
import { isSetter, useSession } from '../../app/session.ts'
import { Field, Form, Submit, useAct } from '../../parts/form.tsx'
import { Heading } from '../../parts/heading.tsx'
import { Empty, Ready } from '../../parts/state.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { DueSheets } from '../sheets/due-sheets.tsx'
import { NewsOfSheets } from '../sheets/sheet-news.tsx'
import { classPath, useTeaches } from './class-page.tsx'
import { Invitation } from './invitation.tsx'

export function Classes() {
  const isSignedIn = useSignedIn()
  return isSignedIn ? <View /> : null
}

const columns: readonly Column<Class>[] = [
  {
    head: 'Class',
    cell: ({ ID, Name, IsArchived, IsInvited }) => (
      <>
        <a href={classPath(ID)}>{Name}</a> {IsArchived && <span class="badge">Archived</span>}{' '}
        {IsInvited && <span class="badge wait">Invited</span>}
      </>
    ),
  },
  { head: 'Teachers', class: 'wide-only', look: 'soft', cell: ({ TeacherNameList }) => TeacherNameList.join(', ') },
  { head: 'Students', class: 'number', look: 'soft', cell: ({ StudentCount }) => StudentCount },
]

function View() {
  const session = useSession()
  const teaches = useTeaches()
  const loaded = useLoad('classes', async () => (await call('get_class_list', {})).ClassList)
  const news = useLoad('sheet news', async () => (await call('get_sheet_news', {})).NewsList)
  const mayMake = isSetter(session)
  return (
    <>
      <Heading title="Classes">
        {mayMake && (
          <a class="button" href="/-/judge/results">
            Results of all problems
          </a>
        )}
      </Heading>
      <div class="side">
        <div class="stack">
          <Ready of={loaded}>
            {(list) => (
              <>
                {list
                  .filter(({ IsInvited, IsArchived }) => IsInvited && !IsArchived)
                  .map((one) => (
                    <Invitation key={one.ID} one={one} answered={loaded.reload} />
                  ))}
                <NewsOfSheets list={news.value ?? []} />
                <DueSheets classes={list.filter((one) => !teaches(one) && !one.IsArchived)} />
                {list.length === 0 ? (
                  <div class="card">
                    <Empty title="You are in no class yet">
                      <p>
                        {mayMake
                          ? 'Create one here, then add students from a list.'
                          : 'Your teacher adds you, or gives you a code to join.'}
                      </p>
                    </Empty>
                  </div>
                ) : (
                  <div class="card flush scroll">
                    <Table
                      rows={[...list].sort((a, b) => Number(a.IsArchived) - Number(b.IsArchived))}
                      columns={columns}
                      keyOf={({ ID }) => ID}
                    />
                    <p class="hidden-text">{plural(list.length, 'class')}</p>
                  </div>
                )}
              </>
            )}
          </Ready>
        </div>
        <div class="stack">
          {mayMake && <NewClass />}
          <JoinClass />
        </div>
      </div>
    </>
  )
}

/** A name in the letters that an address takes: `Informatics 7b` is `informatics-7b`. */
const toId = (name: string): string => spellLatin(name, 36)

function NewClass() {
  const act = useAct()
  const [name, setName] = useState('')
  const [id, setId] = useState<string>()
  const ID = id ?? toId(name)
  const submit = async () => {
    await call('create_class', { ID, Name: name })
    forgetAll()
    go(classPath(ID, 'import'))
  }
  return (
    <section class="card" aria-labelledby="new-class">
      <h2 id="new-class">New class</h2>
      <Form act={act} submit={submit}>
        <Field label="Name of the class">
          <input value={name} onInput={(event) => setName(event.currentTarget.value)} maxLength={256} required />
        </Field>
        <Field
          label="ID"
          hint="Part of its address. Letters, digits, hyphens and underscores; it can’t be changed later."
        >
          <input
            value={ID}
            onInput={(event) => setId(event.currentTarget.value)}
            pattern="[A-Za-z0-9_][A-Za-z0-9_\-]{0,35}"
            maxLength={36}
            required
          />
        </Field>
        <Submit act={act} busy="Creating …">
          Create class
        </Submit>
      </Form>
    </section>
  )
}

function JoinClass() {
  const act = useAct()
  const [code, setCode] = useState('')
  const submit = async () => {
    const { Class } = await call('join_class', { JoinCode: code })
    forgetAll()
    go(classPath(Class.ID))
  }
  return (
    <section class="card" aria-labelledby="join-class">
      <h2 id="join-class">Join a class</h2>
      <Form act={act} submit={submit}>
        <Field label="Code" hint="Eight letters and digits from your teacher.">
          <input
            class="mono"
            value={code}
            onInput={(event) => setCode(event.currentTarget.value)}
            autocomplete="off"
            autocapitalize="characters"
            spellcheck={false}
            maxLength={64}
            required
          />
        </Field>
        <Submit act={act} busy="Joining …">
          Join
        </Submit>
      </Form>
    </section>
  )
}
