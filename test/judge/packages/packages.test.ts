import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { actingFor } from '../../../src/accounts/actor.ts'
import { Failure } from '../../../src/lib/failure.ts'
import { type JudgeStage, page, startJudge } from '../../support/judge.ts'
import type { Json } from '../../support/rpc.ts'
import { makeZip } from '../../support/zip.ts'
import {
  type Files,
  groupHeader,
  interactive2025,
  legacy,
  legacyScoring,
  multiPass2025,
  polygon,
  polygonInteractive,
  polygonWithoutHeader,
  scoring2025,
} from './packages.ts'

describe('problem packages', () => {
  let stage: JudgeStage
  let folder: string
  before(async () => {
    stage = await startJudge('sqlite')
    folder = await mkdtemp(join(tmpdir(), 'guildhall-package-'))
  })
  after(async () => {
    await stage.stop()
    await rm(folder, { recursive: true, force: true })
  })

  async function importFrom(path: string, overrides = {}) {
    const setter = actingFor((await stage.services.accounts.findByName('setter'))!)
    return stage.services.judge.packages.importPackage(setter, path, overrides)
  }
  let made = 0
  async function importFiles(files: Files, overrides = {}) {
    const home = join(folder, String(made++))
    for (const [path, data] of Object.entries(files)) {
      await mkdir(dirname(join(home, path)), { recursive: true })
      await writeFile(join(home, path), data)
    }
    return importFrom(home, overrides)
  }
  const read = async (UUID: string): Promise<Json> => {
    const { setter } = stage.cast
    const { Problem } = await setter.call('get_problem', { UUID })
    const { Judging } = await setter.call('get_problem_judging', { UUID })
    const list = { ProblemUUID: UUID, ...page() }
    const { TestCaseSnippetList } = await setter.call('get_problem_test_case_snippet_list', list)
    const { TestCaseJudgingList } = await setter.call('get_problem_test_case_judging_list', list)
    const tests = TestCaseSnippetList.map((one: Json, i: number) => {
      const { Group, Points, ArgumentList } = TestCaseJudgingList[i]
      return [one.Input, one.IsHidden, Group, Points, ArgumentList]
    })
    return { ...Problem, Judging, tests }
  }
  const checkerOf = ({ Judging }: Json) => [
    Judging.Checker.Kind,
    Judging.Checker.ArgumentList,
    Judging.Checker.Program?.Language,
    Judging.Checker.Program?.FileList.map(({ Name }: Json) => Name),
  ]

  test('legacy: statement in Markdown, validator as checker, limits, samples; what stays behind is told', async () => {
    const { uuid, notes } = await importFiles(legacy)
    const problem = await read(uuid)
    assert.equal(problem.DisplayName, 'Different')
    assert.equal(problem.Description, 'Subtract $b$ from **a**.\n![](figure.png)\n')
    assert.deepEqual(problem.ExampleList, [{ Input: '10 12\n', Output: '2\n' }])
    assert.deepEqual([problem.TimeLimitInMillisecond, problem.MemoryLimitInByte], [3_000, 512 * 1024 * 1024])
    assert.deepEqual(checkerOf(problem), ['kattis', ['near'], 'python', ['validate.py']])
    // In byte order: 10 before 2.
    assert.deepEqual(problem.tests, [
      ['10 12\n', false, '', null, null],
      ['1 11\n', true, '', null, null],
      ['1 3\n', true, '', null, null],
    ])
    assert.deepEqual(notes, [
      'problem.yaml: limits.output: kept, but this server has its own.',
      'problem_statement/problem.sv.tex: kept; a problem has one statement here, taken from problem_statement/problem.en.tex.',
    ])
  })

  test('legacy, scoring: groups by min and by always_accept, with their points', async () => {
    const { Judging, tests } = await read((await importFiles(legacyScoring)).uuid)
    assert.deepEqual([Judging.IsScored, Judging.Aggregation, Judging.MaximumScore], [true, 'sum', 50])
    assert.deepEqual(Judging.GroupList, [
      { Name: 'one', Aggregation: 'min', MaximumScore: 30, RequireList: [] },
      { Name: 'two', Aggregation: 'sum', MaximumScore: 20, RequireList: [] },
    ])
    assert.deepEqual(
      tests.map(([, , group]: Json) => group),
      ['', 'one', 'one', 'two', 'two'],
    )
    const { 'data/testdata.yaml': _, ...counting } = legacyScoring
    const strict = await read((await importFiles(counting)).uuid)
    assert.deepEqual(strict.Judging.GroupList[0].RequireList, ['sample'])
  })

  test('legacy: where any test is enough points are added up, and what is not carried over is named', async () => {
    const { uuid, notes } = await importFiles({
      ...legacyScoring,
      'data/testdata.yaml': 'grader_flags: ignore_sample\non_reject: continue\ncolour: red\n',
      'data/secret/two/testdata.yaml': 'accept_score: 10\ngrader_flags: accept_if_any_accepted\n',
    })
    const { GroupList } = (await read(uuid)).Judging
    assert.deepEqual([GroupList[1].Aggregation, GroupList[1].MaximumScore], ['sum', 20])
    assert.deepEqual(notes, ['data/testdata.yaml: colour: not known, and not carried over.'])
    const pointless = await importFiles({ ...legacy, 'data/testdata.yaml': 'accept_score: 3\non_reject: continue\n' })
    assert.ok(
      pointless.notes.includes(
        'data/testdata.yaml: accept_score, on_reject: not carried over, since the problem gives no points.',
      ),
    )
    const unstated = await importFiles(legacyScoring)
    assert.ok(unstated.notes.some((note) => note.startsWith('data/secret/two: on_reject is not stated')))
  })

  test('all files of a validator’s folder come along, and its language is the one that compiles all sources', async () => {
    const { 'output_validators/near/validate.py': source, ...rest } = legacy
    const folders: [names: string[], language: string][] = [
      [['validate.py3'], 'python'],
      [['validate.C'], 'cpp'],
      [['a.cpp', 'b.c', 'c.hpp', 'table.inc'], 'cpp'],
      [['a.c', 'deep/table.txt'], 'c'],
      [['only.py', 'words.txt'], 'python'],
    ]
    for (const [names, language] of folders) {
      const files = Object.fromEntries(names.map((name) => [`output_validators/near/${name}`, source!]))
      const { uuid } = await importFiles({ ...rest, ...files })
      assert.deepEqual(checkerOf(await read(uuid)).slice(2), [language, names])
    }
  })

  test('2025-09, scoring: groups, required ones, arguments of single tests, constants', async () => {
    const { Judging, tests, Description, TimeLimitInMillisecond } = await read((await importFiles(scoring2025)).uuid)
    assert.deepEqual([Judging.IsScored, Judging.Aggregation, Judging.MaximumScore], [true, 'sum', 50])
    assert.deepEqual(Judging.GroupList, [
      { Name: 'a', Aggregation: 'pass-fail', MaximumScore: 20, RequireList: ['sample'] },
      { Name: 'b', Aggregation: 'sum', MaximumScore: 30, RequireList: ['sample', 'a'] },
    ])
    assert.deepEqual(Judging.Checker, { Kind: 'tokens', ArgumentList: ['float_tolerance', '1e-6'], Program: null })
    assert.deepEqual(tests, [
      ['1\n', false, '', null, []],
      ['1\n', true, 'a', null, null],
      ['2\n', true, 'b', null, ['case_sensitive']],
      ['3\n', true, 'b', null, null],
    ])
    assert.equal(Description, '# Groups\n\nUp to 100. See ![a](figure.svg) and [b](attachments/b.txt).\n\n')
    assert.equal(TimeLimitInMillisecond, 500)
  })

  test('2025-09, interactive and multi-pass', async () => {
    const guess = await read((await importFiles(interactive2025)).uuid)
    assert.deepEqual([guess.Judging.Type, guess.Judging.Interactor], ['interactive', null])
    assert.deepEqual(checkerOf(guess), ['kattis', [], 'python', ['talk.py']])
    assert.deepEqual(guess.ExampleList, [{ Input: '\nless\n\nright\n', Output: '5\n\n3\n\n' }])
    const twice = await read((await importFiles(multiPass2025)).uuid)
    assert.deepEqual([twice.Judging.Type, twice.Judging.PassLimit], ['batch', 2])
  })

  test('Polygon: groups, points, testlib with its header, sections as a statement; an interactor beside it', async () => {
    const problem = await read((await importFiles(polygon)).uuid)
    assert.equal(problem.DisplayName, 'Sum & more')
    assert.equal(problem.Description, 'Add *two*. ![](p.png)\n\n## Input\n\nTwo numbers.\n\n## Output\n\nTheir sum.\n')
    assert.deepEqual(checkerOf(problem), ['testlib', [], 'cpp', ['check.cpp', 'testlib.h']])
    assert.deepEqual(problem.Judging.GroupList, [
      { Name: '0', Aggregation: 'pass-fail', MaximumScore: 0, RequireList: [] },
      { Name: '1', Aggregation: 'pass-fail', MaximumScore: 10.5, RequireList: ['0'] },
      { Name: '2', Aggregation: 'sum', MaximumScore: 9.5, RequireList: ['1'] },
    ])
    assert.equal(problem.Judging.MaximumScore, 20)
    assert.deepEqual(problem.tests, [
      ['1 2\n', false, '0', null, null],
      ['2 2\n', true, '1', null, null],
      ['5 5\n', true, '2', 5, null],
      ['5 6\n', true, '2', 4.5, null],
    ])
    const told = await read((await importFiles({ ...polygon, 'files/testlib.h': groupHeader })).uuid)
    assert.deepEqual(checkerOf(told)[1], ['--group', '{group}'], 'a testlib.h that takes the group is told it')
    const bare = await read((await importFiles(polygonWithoutHeader)).uuid)
    const withOurs = ['testlib', ['--group', '{group}'], 'cpp', ['check.cpp', 'testlib.h']]
    assert.deepEqual(checkerOf(bare), withOurs)
    const other = await read((await importFiles(polygonInteractive)).uuid)
    assert.deepEqual([other.Judging.Type, other.Judging.IsScored], ['interactive', false])
    assert.deepEqual(
      other.Judging.Interactor.FileList.map(({ Name }: Json) => Name),
      ['interactor.cpp', 'testlib.h'],
    )
  })

  test('without a validator answers are compared by tokens; limits may be given, and a missing one is told', async () => {
    const bare = { 'problem.yaml': 'name: Bare' }
    const { notes } = await importFiles(bare)
    assert.ok(notes.includes('No time limit is stated: 1000 ms is used.'))
    assert.ok(notes.some((note) => note.startsWith('There are no test cases')))
    const { uuid } = await importFiles(bare, { timeLimitMs: 7, memoryLimitBytes: 5_000_000, isHeld: true })
    const problem = await read(uuid)
    assert.deepEqual([problem.TimeLimitInMillisecond, problem.MemoryLimitInByte], [7, 5_000_000])
    assert.deepEqual([problem.Judging.Checker.Kind, problem.Judging.IsHeld], ['tokens', true])
    assert.equal(await stage.cast.contestant.code('get_problem', { UUID: uuid }), 6)
    const unchecked = String(polygon['problem.xml']).replace(/<checker.*<\/checker>/, '')
    const other = await importFiles({ ...polygon, 'problem.xml': unchecked })
    assert.deepEqual(checkerOf(await read(other.uuid)).slice(0, 2), ['tokens', []])
    assert.ok(other.notes.some((note) => note.startsWith('There is no checker')))
  })

  test('a package for Windows is taken as it is, and its line ends are noted', async () => {
    const onWindows = Object.entries(polygon).map(([path, content]) => [
      path,
      typeof content === 'string' ? content.replaceAll('\n', '\r\n') : content,
    ])
    const { uuid, notes } = await importFiles(Object.fromEntries(onWindows))
    assert.deepEqual(
      notes.filter((note) => note.includes('CR LF')).map((note) => note.split(' ')[0]),
      ['tests/01'],
    )
    assert.equal((await read(uuid)).Judging.Checker.Kind, 'testlib')
    assert.ok((await importFiles(polygon)).notes.every((note) => !note.includes('CR LF')))
  })

  test('what can’t be judged faithfully is refused by file and key, and nothing is stored', async () => {
    const count = async () => (await stage.cast.setter.call('get_problem_snippet_list', page())).TotalProblemCount
    const before = await count()
    const { 'problem.xml': xml, ...polygonFiles } = polygon
    const replaced = (from: string, to: string): Files => ({
      ...polygonFiles,
      'problem.xml': String(xml).replace(from, to),
    })
    const bomb = [
      'a: &a [x,x,x,x,x,x,x,x,x]',
      ...'bcdefghi'
        .split('')
        .map((one, i) => `${one}: &${one} [${Array.from({ length: 9 }, () => `*${'abcdefgh'[i]}`)}]`),
    ]
    const wrong: [Files, RegExp][] = [
      [{ 'README.md': '' }, /neither problem\.yaml .* nor problem\.xml/],
      [{ 'problem.yaml': 'name: [' }, /problem\.yaml is not YAML/],
      [{ 'problem.yaml': '- a' }, /problem\.yaml is not a map/],
      [{ 'problem.yaml': bomb.join('\n') }, /problem\.yaml is not YAML: Excessive alias count/],
      [{ 'problem.yaml': `a: ${'['.repeat(1_000)}` }, /problem\.yaml is not YAML/],
      [{ 'problem.yaml': `a: ${'x'.repeat(70_000)}` }, /problem\.yaml is over 65536 bytes/],
      [{ 'problem.yaml': '', 'data/secret/1.in': '' }, /1\.ans is missing/],
      [{ 'problem.yaml': '', 'data/secret/1.in': Buffer.from([0xff]), 'data/secret/1.ans': '' }, /1\.in is not UTF-8/],
      [{ 'problem.yaml': '', 'data/secret/1.ans': '' }, /1\.ans has no input/],
      [{ ...legacyScoring, 'graders/g.py': '' }, /graders\/: grading: custom graders/],
      [{ ...legacyScoring, 'data/testdata.yaml': 'grading: custom' }, /data\/testdata\.yaml: grading: /],
      [
        { ...legacyScoring, 'data/secret/one/testdata.yaml': 'grader_flags: avg' },
        /one\/testdata\.yaml: grader_flags: avg/,
      ],
      [
        { ...legacyScoring, 'data/secret/one/testdata.yaml': 'grader_flags: max' },
        /one\/testdata\.yaml: grader_flags: max/,
      ],
      [
        { ...legacyScoring, 'problem.yaml': 'type: scoring\ngrading: {objective: min}' },
        /problem\.yaml: grading\.objective/,
      ],
      [
        { ...legacyScoring, 'data/secret/one/deep/1.in': '', 'data/secret/one/deep/1.ans': '' },
        /one\/deep\/1\.in: groups: scoring groups in groups/,
      ],
      [{ ...legacy, 'output_validators/near/build': '#!/bin/sh' }, /near\/build: scripts: build and run/],
      [{ ...legacy, 'output_validators/other/v.py': '' }, /output_validators\/: programs: several validators/],
      [{ ...legacy, 'include/python3/a.py': '' }, /include\/: files/],
      [{ ...scoring2025, 'static_validator/v.py': '' }, /static_validator\/: programs/],
      [
        { ...scoring2025, 'data/secret/a/test_group.yaml': 'static_validation_score: 3' },
        /a\/test_group\.yaml: static_validation_score/,
      ],
      [
        { ...scoring2025, 'data/secret/a/test_group.yaml': 'score_aggregation: avg' },
        /a\/test_group\.yaml: score_aggregation: "avg"/,
      ],
      [{ ...scoring2025, 'data/secret/a/test_group.yaml': 'args: [x]' }, /a\/test_group\.yaml: args/],
      [
        { ...scoring2025, 'data/secret/a/deep/test_group.yaml': '' },
        /deep\/test_group\.yaml: groups: groups in groups/,
      ],
      [{ ...scoring2025, 'data/secret/b/1.files/x.txt': '' }, /1\.files\/x\.txt: \.files/],
      [{ 'problem.yaml': 'type: submit-answer' }, /problem\.yaml: type: submit-answer/],
      [{ 'problem.yaml': 'type: riddle' }, /problem\.yaml: type: "riddle"/],
      [{ 'problem.yaml': 'type: interactive' }, /problem\.yaml: validation: it needs an output validator/],
      [replaced('input-file=""', 'input-file="a.in"'), /problem\.xml: judging\/input-file/],
      [replaced('run-count="1"', 'run-count="2"'), /problem\.xml: judging\/run-count/],
      [
        replaced(
          '<resources>',
          '<resources><file for-types="cpp.*" path="files/grader.cpp" type="cpp.g++17"><stages><stage name="COMPILE"/></stages><assets><asset name="SOLUTION"/></assets></file>',
        ),
        /problem\.xml: files\/resources: custom graders: "files\/grader\.cpp"/,
      ],
      [
        replaced('run-count="1"', 'treat-points-from-checker-as-percent="true"'),
        /problem\.xml: judging\/treat-points-from-checker-as-percent/,
      ],
      ...['always_accept', 'accept_if_any_accepted', 'ignore_sample'].map((flag): [Files, RegExp] => [
        { ...legacy, 'data/testdata.yaml': `grader_flags: ${flag}` },
        new RegExp(`data/testdata\\.yaml: grader_flags: ${flag}`),
      ]),
      [
        { ...legacyScoring, 'data/secret/two/testdata.yaml': 'grader_flags: always_accept\non_reject: break' },
        /two\/testdata\.yaml: on_reject: /,
      ],
      [{ ...legacy, 'data/testdata.yaml': 'on_reject: maybe' }, /data\/testdata\.yaml: on_reject: "maybe"/],
      [{ ...legacy, 'output_validators/near/table.java': '' }, /near\/ has sources of several languages/],
      [{ ...legacy, 'output_validators/near/second.py': '' }, /must have a __main__\.py, or only one script/],
      [
        { ...scoring2025, 'data/secret/b/1.yaml': 'output_validator_args: [near]' },
        /b\/1\.in: output_validator_args: the comparison by tokens knows no "near"/,
      ],
      [
        { ...legacyScoring, 'data/secret/one/testdata.yaml': 'output_validator_flags: float_tolerance x' },
        /one\/1\.in: output_validator_flags: .* number of 0 or more after float_tolerance/,
      ],
      [replaced('complete-group', 'custom'), /problem\.xml: points-policy: "custom"/],
      [replaced('type="testlib"', 'type="jury"'), /problem\.xml: assets\/checker: "jury"/],
      [replaced('<?xml', '<!DOCTYPE a [<!ENTITY x "y">]><?xml'), /problem\.xml is not XML/],
      [{ ...polygonFiles, 'problem.xml': String(xml).slice(0, -20) }, /problem\.xml/],
      [
        Object.fromEntries(Object.entries(polygon).filter(([path]) => path !== 'tests/02')),
        /Tests are missing: tests\/02 \(gen 1\)/,
      ],
    ]
    for (const [files, message] of wrong) {
      await assert.rejects(
        importFiles(files),
        (error) => error instanceof Failure && message.test(error.message),
        String(message),
      )
    }
    await assert.rejects(importFrom(join(folder, 'nowhere')), /nothing at/)
    const linked = join(folder, 'linked')
    await mkdir(linked)
    await writeFile(join(linked, 'problem.yaml'), '')
    await symlink('/etc/passwd', join(linked, 'secret.in'))
    await assert.rejects(importFrom(linked), /leads out of the package/)
    assert.equal(await count(), before)
    assert.deepEqual(await stage.services.store.db.selectFrom('test_upload').select('id').execute(), [])
    assert.deepEqual(
      await stage.services.store.db.selectFrom('test_case').select('id').where('problem_id', 'is', null).execute(),
      [],
    )
  })

  test('statements in other languages are kept, and arguments that stand for all tests are taken', async () => {
    const { uuid } = await importFiles({
      'problem.yaml': 'problem_format_version: 2025-09\nname: {en: A, sv: B}\nlimits: {time_limit: 1}',
      'statement/problem.en.md': 'English',
      'statement/problem.sv.md': 'Svenska',
      'data/test_group.yaml': 'output_validator_args: [case_sensitive]',
      'data/sample/1.in': '',
      'data/sample/1.ans': '',
    })
    const problem = await read(uuid)
    assert.deepEqual([problem.DisplayName, problem.Description], ['A', 'English'])
    assert.deepEqual(checkerOf(problem).slice(0, 2), ['tokens', ['case_sensitive']])
    assert.deepEqual(problem.tests[0].at(-1), null)
  })

  test('a zip of its folder is as good as the folder', async () => {
    const path = join(folder, 'different.zip')
    await writeFile(path, makeZip(Object.entries(legacy).map(([name, data]) => ({ path: `different/${name}`, data }))))
    assert.equal((await importFrom(path)).testCount, 3)
  })
})
