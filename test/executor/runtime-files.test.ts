/** What a run sees of the host's files: its language's own, and nothing that happens to be installed. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { surveyLanguages } from '../../src/executor/languages/configuration.ts'
import { programsIn } from './programs/program.ts'
import { type Court, openCourt } from './suite.ts'

const walking = `#define _GNU_SOURCE
#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>
static int tell(const char *path, const struct stat *s, int kind, struct FTW *at) {
  if (kind == FTW_F && S_ISREG(s->st_mode)) fprintf(stderr, "%s\\n", path);
  return 0;
}
int main(void) {
  const char *tops[] = { "/usr", "/bin", "/lib", "/lib64", "/opt", "/root", "/home", "/srv", "/var", "/nix", "/gnu", "/toolchain" };
  for (unsigned i = 0; i < sizeof tops / sizeof *tops; i++) nftw(tops[i], tell, 32, FTW_PHYS);
}
`
const asking = `
import importlib.util, sys
for name in ("pip", "numpy"):
    sys.stderr.write("%s %s\\n" % (name, 'here' if importlib.util.find_spec(name) else 'absent'))
sys.stderr.write("%s\\n" % ",".join(sorted(m for m in sys.modules if m.split(".")[0] in ("sitecustomize", "usercustomize", "distutils-precedence", "_distutils_hack"))))
if importlib.util.find_spec('numpy'):
    import numpy
    sys.stderr.write('' if numpy.arange(9).sum() == 36 else 'wrong')
exit()
`
/** Where machines keep packages for every program: what is found there is told. */
const seeking: Readonly<Record<string, string>> = {
  javascript: `
const { readdirSync } = require('node:fs')
const { dirname, join } = require('node:path')
const own = [...module.paths, ...require('node:module').globalPaths, join(dirname(process.execPath), '../lib/node_modules')]
const folders = [...own, '/usr/lib/node_modules', '/usr/local/lib/node_modules', '/usr/share/nodejs', '/usr/share/node_modules']
for (const folder of folders) try { process.stderr.write(folder + ' ' + readdirSync(folder) + '\\n') } catch {}
process.stderr.write(process.env.NODE_PATH ?? '')
`,
  java: `
import java.nio.file.*;
public class Main {
  public static void main(String[] words) throws Exception {
    for (String folder : new String[] {"/usr/share/java", "/usr/share/maven-repo", "/usr/local/lib", "/usr/local/share"})
      if (Files.isDirectory(Path.of(folder)))
        try (var files = Files.walk(Path.of(folder))) {
          files.filter(file -> file.toString().endsWith(".jar")).forEach(System.err::println);
        }
    if (System.getenv("CLASSPATH") != null) System.err.println(System.getenv("CLASSPATH"));
  }
}
`,
}
const isInstalled = (name: string): boolean => {
  try {
    execFileSync('python3', ['-c', `import ${name}`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
const { languages } = await surveyLanguages()
const hasPython = languages.some(({ value }) => value === 'python')
const skip = !hasPython && 'no Python here'

describe('a run', () => {
  let court: Court
  before(async () => {
    court = await openCourt({ slotCount: 1 }, ['c', 'python', 'javascript', 'java'])
  })
  after(() => court.close())
  const say = async (language: string, source: string) => {
    const [test] = (await court.judge(programsIn(language).passes('', source, { timeLimitMs: 5_000 }))).tests
    return test!.stderr.trim().split('\n')
  }

  it('of C sees the files of its view, some dozens, and no other of the host', async () => {
    const { files } = court.find('c')!.language.view!
    const seen = await say('c', walking)
    assert.deepEqual(
      seen.filter((path) => !files.includes(path)),
      [],
    )
    assert.ok(files.length < 60 && seen.length > 5, `${seen.length} of ${files.length}`)
  })

  it('of Python has its own library, numpy where it is installed, nothing else that is, and still an `exit`', {
    skip,
  }, async () => {
    assert.deepEqual(await say('python', asking), ['pip absent', isInstalled('numpy') ? 'numpy here' : 'numpy absent'])
  })

  for (const [language, source] of Object.entries(seeking))
    it(`of ${language} sees no package that the machine has for every program`, {
      skip: !languages.some(({ value }) => value === language) && `no ${language} here`,
    }, async () => {
      assert.deepEqual(await say(language, source), [''])
    })
})

describe('an operator', () => {
  const folder = mkdtempSync(join(tmpdir(), 'guildhall-languages-'))
  after(() => rmSync(folder, { recursive: true }))
  const write = (content: unknown) => {
    const path = join(folder, 'languages.yaml')
    writeFileSync(path, JSON.stringify(content))
    return path
  }
  const shell = {
    ...{ value: 'sh', name: 'Shell', source: 'main.sh', run: ['sh', '{program}'] },
    selfTest: { source: 'read a; echo $a', input: '42\n', output: '42\n' },
  }

  it('lengthens the list of Python’s packages, and is told which are there', { skip }, async () => {
    const survey = await surveyLanguages(write({ languages: [], pythonPackages: ['pip', 'no_such_package'] }))
    const { version } = survey.findings.find(({ value }) => value === 'python')!
    assert.match(version!, /packages: .*pip.*\(not installed: .*no_such_package\)/)
    assert.ok(
      survey.languages.find(({ value }) => value === 'python')!.runtime!.paths.some((path) => path.endsWith('/pip')),
    )
  })

  it('says what a language of theirs needs, or is told that its runs see everything', async () => {
    const closed = await surveyLanguages(write({ languages: [{ ...shell, runtime: ['/etc/passwd'] }] }))
    assert.equal(closed.findings.find(({ value }) => value === 'sh')!.version, 'configured')
    const [own] = closed.languages.filter(({ value }) => value === 'sh')
    assert.ok(own!.runtime!.paths.some((path) => /(?:sh|busybox)$/.test(path)))
    const open = await surveyLanguages(write({ languages: [shell] }))
    assert.match(open.findings.find(({ value }) => value === 'sh')!.version!, /see all of the system/)
    const missing = await surveyLanguages(write({ languages: [{ ...shell, runtime: ['/no/such/file'] }] }))
    assert.match(missing.findings.find(({ value }) => value === 'sh')!.missing!, /\/no\/such\/file is not there/)
  })
})
