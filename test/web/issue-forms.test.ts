/** Issue forms: what is read of a repository's files, whatever they hold, and the text that the answers become. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig, readForm } from '../../web/issues/issue-form-reading.ts'
import { composeText, findMissing, firstAnswers, type IssueForm } from '../../web/issues/issue-forms.ts'

const lampForm = `
name: Lamp report
description: A lamp that does not shine
title: "[Lamp]: "
labels: [bug, lamps]
assignees: ann, bob
body:
  - type: markdown
    attributes: { value: "Thank you!" }
  - type: input
    id: place
    attributes: { label: Where is it?, placeholder: The hall }
    validations: { required: true }
  - type: textarea
    id: log
    attributes: { label: What does the log say?, render: shell }
  - type: textarea
    attributes: { label: More?, value: None so far }
  - type: dropdown
    id: colours
    attributes: { label: Colours, multiple: true, options: [red, green, 3] }
  - type: checkboxes
    id: checks
    attributes:
      label: Before you send it
      options:
        - { label: I have looked, required: true }
        - { label: I can help }
`
const form = readForm(lampForm) as IssueForm

test('a form is read with all its fields', () => {
  assert.deepEqual(
    { ...form, fields: form.fields.map(({ kind }) => kind) },
    {
      name: 'Lamp report',
      about: 'A lamp that does not shine',
      title: '[Lamp]: ',
      labels: ['bug', 'lamps'],
      assignees: ['ann', 'bob'],
      fields: ['markdown', 'input', 'textarea', 'textarea', 'dropdown', 'checkboxes'],
    },
  )
})

test('answers become a text as the public platform writes it', () => {
  const answers = {
    ...firstAnswers(form),
    place: ' The hall ',
    log: 'on\n```\noff',
    colours: [0, 2],
    checks: [0],
  }
  assert.equal(
    composeText(form, answers),
    [
      '### Where is it?\n\nThe hall',
      '### What does the log say?\n\n````shell\non\n```\noff\n````',
      '### More?\n\nNone so far',
      '### Colours\n\nred, 3',
      '### Before you send it\n\n- [X] I have looked\n- [ ] I can help',
    ].join('\n\n'),
  )
  assert.match(composeText(form, {}), /### Where is it\?\n\n_No response_/)
})

test('the first required field that is empty is named', () => {
  const first = firstAnswers(form)
  assert.equal(findMissing(form, first), 'Where is it?')
  assert.equal(findMissing(form, { ...first, place: 'Hall' }), 'I have looked')
  assert.equal(findMissing(form, { ...first, place: 'Hall', checks: [0] }), undefined)
})

test('what is no form is none, and what is odd within one is left out', () => {
  for (const text of ['', 'name: x', '- a', 'name: x\nbody: 3', '{', '&a [*a, *a]', `name: ${'['.repeat(10_000)}`])
    assert.equal(readForm(text), undefined, text.slice(0, 40))
  const odd = readForm('name: 7\nbody: [3, null, {type: image}, {type: dropdown}, {type: input, attributes: [1]}]')
  assert.deepEqual(
    odd?.fields.map((field) => ('label' in field ? [field.kind, field.id, field.label] : field)),
    [
      ['dropdown', 'field-3', ''],
      ['input', 'field-4', ''],
    ],
  )
})

test('a form with thousands of fields shows the first hundred', () => {
  const fields = Array.from({ length: 5_000 }, (_, at) => `{type: input, attributes: {label: f${at}}}`)
  assert.equal(readForm(`name: many\nbody: [${fields.join()}]`)?.fields.length, 100)
})

test('a small text that stands for a huge one is refused', () => {
  const lines = ['a0: &a0 [x, x]']
  for (let at = 1; at < 40; at++) lines.push(`a${at}: &a${at} [*a${at - 1}, *a${at - 1}]`)
  assert.equal(readForm(`name: x\n${lines.join('\n')}\nbody: *a39`), undefined)
})

test('the configuration tells of blank issues and of links to the web alone', () => {
  const text = `
blank_issues_enabled: false
contact_links:
  - { name: Forum, url: "https://forum.example.org", about: Ask there }
  - { name: Evil, url: "javascript:alert(1)" }
  - { url: "https://nameless.example.org" }
`
  assert.deepEqual(readConfig(text), {
    isBlankOffered: false,
    links: [{ name: 'Forum', about: 'Ask there', url: 'https://forum.example.org' }],
  })
  assert.deepEqual(readConfig('['), { isBlankOffered: true, links: [] })
})
