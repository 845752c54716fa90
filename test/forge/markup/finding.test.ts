/** Mentions and references found in people's texts: tables of cases, and the renderer as a second opinion. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { findMentions } from '../../../src/forge/markup/mentions.ts'
import { findDuplicateOf, findReferences } from '../../../src/forge/markup/references.ts'
import { renderHtml } from '../../../src/forge/markup/rendering.ts'

const names = (text: string) => findMentions(text).map(({ login, team }) => (team ? `${login}/${team}` : login))

const numbers = (text: string) =>
  findReferences(text).map((found) => {
    const place = found.repository ? `${found.repository.owner}/${found.repository.name}` : ''
    if (found.kind === 'commit') return `${place}@${found.sha}`
    return `${found.closes ? 'closes ' : ''}${found.origin ?? ''}${found.origin ? '/' : ''}${place}#${found.number}`
  })

describe('mentions', () => {
  const cases: readonly (readonly [text: string, expected: readonly string[]])[] = [
    ['@ann', ['ann']],
    ['Hello @ann, and @bob-2! (@cid)', ['ann', 'bob-2', 'cid']],
    ['@ann @ANN @Ann', ['ann']],
    ['@acme/crew and @acme', ['acme/crew', 'acme']],
    ['.@ann look. @bob.', ['ann', 'bob']],
    ['**@ann** _@bob_ ~~@cid~~ "@dan"', ['ann', 'bob', 'cid', 'dan']],
    ['> @ann\n- @bob\n# @cid', ['ann', 'bob', 'cid']],
    ['a@b.example ann+x@bob ann.@bob', []],
    ['@ann.example @ann_b @-ann @', []],
    ['\\@ann', []],
    ['x/@ann @@ann', []],
    ['`@ann` ``@ann ` @ann``', []],
    ['`@ann', ['ann']],
    ['\\`@ann`', ['ann']],
    ['```\n@ann\n```\n@bob', ['bob']],
    ['~~~js\n@ann\n```\n~~~\n@bob', ['bob']],
    ['```\n@ann', []],
    ['```\n@ann\n``` x\n@bob', []],
    ['> ```\n> @ann\n> ```\n> @bob', ['bob']],
    ['    @ann', []],
    ['a\n    @ann', ['ann']],
    ['a\n\n    @ann\n\nb', []],
    ['- a\n\n  @ann', ['ann']],
    ['- a\n\n      @ann', []],
    ['- a\n\nb\n\n    @ann', []],
    ['- ```\n  @ann\n  ```', []],
    ['1. a\n\n   @ann\n\n\t@bob', ['ann', 'bob']],
    ['\t@ann', []],
    ['[@ann](https://x.example)', []],
    ['[a @ann [b]](u) @bob', ['bob']],
    ['\\[@ann](u)', ['ann']],
    ['\\\\[@ann](u) @bob', ['bob']],
    ['![@ann](x)', []],
    ['https://x.example/@ann www.x.example/@bob <https://x.example/@cid>', []],
    ['<!-- @ann -->@bob', ['bob']],
    ['<a title="@ann">@bob</a>', ['bob']],
    ['[1]: https://x.example/@ann', []],
    ['<code>@ann</code> @bob', ['bob']],
    ['<PRE class="x">\n@ann <code>@cid</code> @dan</pre>@bob', ['bob']],
    ['<code>@ann', ['ann']],
    ['<codex>@ann</codex> </code>@bob', ['ann', 'bob']],
  ]
  for (const [text, expected] of cases)
    test(JSON.stringify(text), () => {
      assert.deepEqual(names(text), expected)
    })

  test('of a thousand names fifty count', () => {
    const text = Array.from({ length: 1_000 }, (_, index) => `@user${index}`).join(' ')
    assert.deepEqual(
      names(text),
      Array.from({ length: 50 }, (_, index) => `user${index}`),
    )
  })
})

describe('references', () => {
  const cases: readonly (readonly [text: string, expected: readonly string[]])[] = [
    ['#12', ['#12']],
    ['see #12, #13. (#14)', ['#12', '#13', '#14']],
    ['ann/tool#3 ann/to.ol-x#4', ['ann/tool#3', 'ann/to.ol-x#4']],
    ['GH-5 gh-6', ['#5', '#6']],
    ['a#12 #12a ##12 &#12; \\#12 #-1 a/b/c#12', []],
    ['fixes #1 Closes: #2 resolved ann/tool#3', ['closes #1', 'closes #2', 'closes ann/tool#3']],
    [
      'close #1 closed #2 fix #3 fixed #4 resolve #5 resolves #6',
      ['1', '2', '3', '4', '5', '6'].map((n) => `closes #${n}`),
    ],
    ['prefixes #1 fixing #2 fixes: the #3 fixes#4 unresolved #5', ['#1', '#2', '#3', '#5']],
    ['#1 fixes #1 #1', ['closes #1']],
    ['`#1` fixes `x` #2', ['#2']],
    ['[#1](u) https://x.example/#2', []],
    ['fixes https://g.example/ann/tool/issues/7', ['closes https://g.example/ann/tool#7']],
    ['https://g.example:8080/ann/tool/pull/8#issuecomment-1', ['https://g.example:8080/ann/tool#8']],
    ['`https://g.example/ann/tool/issues/7`', []],
    [
      'in 0a1b2c3 and 0a1b2c3d4e5f60718293a4b5c6d7e8f901234567',
      ['@0a1b2c3', '@0a1b2c3d4e5f60718293a4b5c6d7e8f901234567'],
    ],
    ['ann/tool@0a1b2c3', ['ann/tool@0a1b2c3']],
    ['1234567 abcdefg deadbeef abc123', []],
  ]
  for (const [text, expected] of cases)
    test(JSON.stringify(text), () => {
      assert.deepEqual(numbers(text), expected)
    })

  test('of a thousand a hundred count', () => {
    const text = Array.from({ length: 1_000 }, (_, index) => `#${index + 1}`).join(' ')
    assert.equal(findReferences(text).length, 100)
  })

  test('a comment names what it is a duplicate of', () => {
    const found = (text: string) => {
      const { number, repository } = findDuplicateOf(text) ?? {}
      return number && `${repository ? `${repository.owner}/${repository.name}` : ''}#${number}`
    }
    assert.equal(found('Duplicate of #12'), '#12')
    assert.equal(found('Sorry.\n\nduplicate of ann/tool#3.\n'), 'ann/tool#3')
    assert.equal(found('Is this a duplicate of #12'), undefined)
    assert.equal(found('Duplicate of nothing'), undefined)
    assert.equal(found('`Duplicate of #12`'), undefined)
  })
})

/** What is found by looking at lines is what the parser would make links of. */
test('the names found are those that the rendered text links', () => {
  const part = fc.constantFrom(
    ...[
      '@ann',
      '#12',
      'fixes #3',
      'word',
      '`',
      '`code`',
      '\n',
      '\n\n',
      '\n\n    ',
      '\n- word ',
      '\n> word ',
      '\n```\n',
    ],
    ...['**', '(', ')', '. ', ' ', ' ', '\n\n1. word ', '\n\n  ', '\\', '~~~', '\n# '],
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 14 }), (parts) => {
      const text = parts.join('')
      const html = renderHtml(text, { origin: 'http://g', repository: 'o/r' })
      const linked = [...html.matchAll(/class="(?:user-mention|issue-link)"[^>]*>([^<]*)</g)].map(([, name]) => name)
      const found = [
        ...findMentions(text).map(({ login }) => `@${login}`),
        ...findReferences(text).map((each) => (each.kind === 'issue' ? `#${each.number}` : '')),
      ]
      assert.deepEqual(new Set(found), new Set(linked))
    }),
    { numRuns: 2_000 },
  )
})
