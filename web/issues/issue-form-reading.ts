/**
 * Reads issue forms (`.yml`), and `config.yml`, which says whether an issue may begin without a template and which other
 * places are offered. Loaded where a repository has such files.
 */
import { parse } from 'yaml'
import type { FormField, IssueForm, TemplateConfig } from './issue-forms.ts'

const mostFields = 100
const mostOptions = 100

type Map = Readonly<Record<string, unknown>>
const asMap = (value: unknown): Map =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Map) : {}
const asText = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value.slice(0, mostOptions) : [])
/** A list, or one text with commas. */
const asNames = (value: unknown): string[] =>
  (Array.isArray(value) ? asList(value).map(asText) : asText(value).split(',')).map((one) => one.trim()).filter(Boolean)

/** Undefined where the text is no form: it is not offered then. */
export function readForm(text: string): IssueForm | undefined {
  const form = asMap(readYaml(text))
  const name = asText(form.name)
  if (name === '' || !Array.isArray(form.body)) return undefined
  const fields = form.body.slice(0, mostFields).flatMap((one, at) => readField(asMap(one), `field-${at}`) ?? [])
  return {
    name,
    about: asText(form.description) || asText(form.about),
    title: asText(form.title),
    labels: asNames(form.labels),
    assignees: asNames(form.assignees),
    fields,
  }
}

function readField({ type, id, attributes: given, validations }: Map, usual: string): FormField | undefined {
  const attributes = asMap(given)
  if (type === 'markdown') return { kind: 'markdown', text: asText(attributes.value) }
  const shared = {
    id: asText(id) || usual,
    label: asText(attributes.label),
    about: asText(attributes.description),
    isRequired: asMap(validations).required === true,
  }
  const texts = { first: asText(attributes.value), example: asText(attributes.placeholder) }
  const options = asList(attributes.options)
  if (type === 'input') return { kind: 'input', ...shared, ...texts }
  if (type === 'textarea') return { kind: 'textarea', ...shared, ...texts, render: asText(attributes.render) }
  if (type === 'dropdown')
    return { kind: 'dropdown', ...shared, options: options.map(asText), isMultiple: attributes.multiple === true }
  if (type === 'checkboxes')
    return {
      kind: 'checkboxes',
      ...shared,
      boxes: options.map(asMap).map(({ label, required }) => ({ label: asText(label), isRequired: required === true })),
    }
  return undefined
}

export function readConfig(text: string): TemplateConfig {
  const config = asMap(readYaml(text))
  const links = asList(config.contact_links)
    .map(asMap)
    .map(({ name, about, url }) => ({ name: asText(name), about: asText(about), url: asText(url) }))
  return {
    isBlankOffered: config.blank_issues_enabled !== false,
    links: links.filter(({ name, url }) => name !== '' && /^https?:\/\//i.test(url)),
  }
}

function readYaml(text: string): unknown {
  try {
    return parse(text, { maxAliasCount: 20 })
  } catch {
    return undefined
  }
}
