/** Actions that are hard to undo: visibility, archiving, transferring and deleting, confirmed by typing the name. */
import { useState } from 'preact/hooks'
import { repositoryPath, send } from '../../api/forge.ts'
import type { Repository } from '../../api/forge-types.ts'
import { forgetAll } from '../../app/load.ts'
import { go } from '../../app/location.ts'
import { Field, Form, useAct } from '../../parts/form.tsx'
import type { SettingsProps } from './props.ts'

type ActProps = {
  readonly name: string
  readonly title: string
  readonly text: string
  readonly action: string
  /** Asks for another name: its label and a hint. */
  readonly asks?: readonly [label: string, hint: string]
  /** With the other name, where it asks for one. */
  run(answer: string): Promise<void>
}

export function Danger({ repository, loaded }: SettingsProps) {
  const { full_name, archived, private: isPrivate } = repository
  const path = repositoryPath(repository.owner.login, repository.name)
  const change = async (body: object) => {
    await send('PATCH', path, body)
    loaded.reload()
  }
  return (
    <section class="card text-width below">
      <h2>Danger zone</h2>
      {!archived && (
        <Act
          key={`private ${isPrivate}`}
          name={full_name}
          title={isPrivate ? 'Make it public' : 'Make it private'}
          text={
            isPrivate
              ? 'Everyone will be able to read it, including its whole history, its issues and its pull requests.'
              : 'Only people with access will be able to see it. Stars and watchers without access are lost.'
          }
          action={isPrivate ? 'Make public' : 'Make private'}
          run={() => change({ private: !isPrivate })}
        />
      )}
      <Act
        key={`archived ${archived}`}
        name={full_name}
        title={archived ? 'Unarchive it' : 'Archive it'}
        text={archived ? 'It can be changed again.' : 'It becomes read-only.'}
        action={archived ? 'Unarchive' : 'Archive'}
        run={() => change({ archived: !archived })}
      />
      <Act
        name={full_name}
        title="Transfer it"
        text="It moves to the new owner with its issues, pull requests, releases and stars. Its former address redirects to the new one."
        action="Transfer"
        asks={['New owner', 'Your own account, or an organisation in which you may create repositories.']}
        run={async (owner) => {
          const moved = await send<Repository>('POST', `${path}/transfer`, { new_owner: owner })
          forgetAll()
          go(`/${moved.full_name}`, { replaces: true })
        }}
      />
      <Act
        name={full_name}
        title="Delete it"
        text="Its code, issues, pull requests and releases are deleted permanently. Forks stay."
        action="Delete this repository"
        run={async () => {
          await send('DELETE', path)
          forgetAll()
          go('/-/repositories', { replaces: true })
        }}
      />
    </section>
  )
}

function Act({ name, title, text, action, asks, run }: ActProps) {
  const [typed, setTyped] = useState('')
  const [answer, setAnswer] = useState('')
  const act = useAct()
  return (
    <details class="danger-act">
      <summary>{title}</summary>
      <p>{text}</p>
      <Form
        act={act}
        submit={async () => {
          await run(answer.trim())
          setTyped('')
        }}
      >
        {asks && (
          <Field label={asks[0]} hint={asks[1]}>
            <input
              value={answer}
              required
              maxLength={100}
              autocomplete="off"
              onInput={(event) => setAnswer(event.currentTarget.value)}
            />
          </Field>
        )}
        <Field label={`Type ${name} to confirm`}>
          <input value={typed} autocomplete="off" onInput={(event) => setTyped(event.currentTarget.value)} />
        </Field>
        <button type="submit" class="button danger" disabled={typed !== name || act.isBusy}>
          {action}
        </button>
      </Form>
    </details>
  )
}
