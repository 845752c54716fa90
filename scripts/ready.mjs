/**
 * Makes a checkout ready, then runs a script of it: `node scripts/ready.mjs start|test -- FILE [ARGUMENTS]`.
 * Plain JavaScript for any Node from 18, without a dependency: nothing is installed yet when it starts.
 * What it did is remembered in node_modules/.ready.json, so that a second start does nothing and needs no network.
 */
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** From 24.10 on, SQLite tells which tables a statement reads and writes (`setAuthorizer`). */
const neededNode = '24.10'
const suppliedNode = '24.21.0'
const root = dirname(dirname(fileURLToPath(import.meta.url)))
const stampPath = join(root, 'node_modules', '.ready.json')
const lockPath = join(root, '.ready.lock')
const suppliedMark = join(root, '.node', 'version')
/** The tests of the page take the first of them that is there; without windows it takes half of the processor time. */
const browsers = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']

const [level, , ...command] = process.argv.slice(2)

class SetUpError extends Error {}

try {
  if (level !== 'start' && level !== 'test') throw new SetUpError('Say what to make ready: start or test.')
  if (!isReady()) await alone(setUp)
  await makeBuild()
  if (command.length > 0) await hand(nodePath(), command)
} catch (error) {
  // The system's refusals (a full disk, a folder that is not ours) carry a code; anything else is a bug.
  if (!(error instanceof SetUpError) && !error.code) throw error
  process.stderr.write(`guildhall: ${error.message}\n`)
  process.exitCode = 1
}

function isReady() {
  const stamp = readStamp()
  return (
    stamp.lock === lockHash() &&
    (stamp.level === 'test' || stamp.level === level) &&
    hasNode() &&
    (stamp.sandboxTried === true || !wantsSandbox()) &&
    (stamp.browserTried === true || !wantsBrowser())
  )
}

function setUp() {
  const stamp = readStamp()
  let installed = stamp.level
  if (stamp.lock !== lockHash() || !(stamp.level === 'test' || stamp.level === level)) {
    say('installing the packages of package-lock.json …')
    // Tools that are there stay there: a start takes none away from who works in this folder.
    const hasTools = existsSync(join(root, 'node_modules')) && stamp.level !== 'start'
    installed = hasTools ? 'test' : level
    npm(['ci', ...(installed === 'start' ? ['--omit=dev'] : [])], 'The packages could not be installed')
  }
  if (!hasNode()) supplyNode()
  if (wantsSandbox()) installSandbox()
  const browserTried = stamp.browserTried === true || level === 'test'
  if (wantsBrowser() && stamp.browserTried !== true) installBrowser()
  writeFileSync(stampPath, JSON.stringify({ lock: lockHash(), level: installed, sandboxTried: true, browserTried }))
}

/** Where the server can't be built, it runs from its sources. */
async function makeBuild() {
  const { build, isBuilt } = await import('./build.mjs')
  if (isBuilt()) return
  try {
    await alone(build, isBuilt)
  } catch (error) {
    say(`the server could not be built, and runs from its sources, which takes more memory: ${error.message}`)
  }
}

function readStamp() {
  try {
    return JSON.parse(readFileSync(stampPath, 'utf8'))
  } catch {
    return {}
  }
}

function lockHash() {
  try {
    return createHash('sha256')
      .update(readFileSync(join(root, 'package-lock.json')))
      .digest('hex')
  } catch (error) {
    throw new SetUpError(`package-lock.json can't be read (${error.code}): check the repository out again.`)
  }
}

/** The machine's own Node where it is new enough, else the one that npm supplies beside the project. */
function nodePath() {
  if (isNewEnough(process.versions.node)) return process.execPath
  const name = process.platform === 'win32' ? 'node.exe' : join('bin', 'node')
  return join(root, '.node', 'node_modules', suppliedPackage(), name)
}

function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number)
  const [neededMajor, neededMinor] = neededNode.split('.').map(Number)
  return major > neededMajor || (major === neededMajor && minor >= neededMinor)
}

/** A supplied one counts once it was installed to its end, and in the version we ask for. */
function hasNode() {
  const path = nodePath()
  if (path === process.execPath) return true
  try {
    return existsSync(path) && readFileSync(suppliedMark, 'utf8') === suppliedNode
  } catch {
    return false
  }
}

function suppliedPackage() {
  return `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
}

function supplyNode() {
  say(`this machine has Node ${process.versions.node}; fetching Node ${suppliedNode} to use beside it …`)
  mkdirSync(join(root, '.node'), { recursive: true })
  writeFileSync(join(root, '.node', 'package.json'), '{"private":true}\n')
  npm(
    [
      'install',
      '--no-save',
      '--no-package-lock',
      '--prefix',
      join(root, '.node'),
      `${suppliedPackage()}@${suppliedNode}`,
    ],
    `Node ${neededNode} could not be supplied; install Node ${neededNode} or newer from nodejs.org`,
  )
  writeFileSync(suppliedMark, suppliedNode)
}

/** bubblewrap is a system package: only the executor needs it, so its absence never stops a start. */
function wantsSandbox() {
  return process.platform === 'linux' && !onPath('bwrap') && process.env.GUILDHALL_EXECUTORS !== '0'
}

function installSandbox() {
  const isRoot = process.getuid?.() === 0
  const managers = [
    ['apt-get', ['update', '-qq'], ['install', '-y', '-qq', 'bubblewrap']],
    ['dnf', ['install', '-y', '-q', 'bubblewrap']],
    ['pacman', ['-Sy', '--noconfirm', 'bubblewrap']],
    ['apk', ['add', '--quiet', 'bubblewrap']],
    ['zypper', ['--quiet', 'install', '-y', 'bubblewrap']],
  ]
  const [name, ...steps] = managers.find(([manager]) => onPath(manager)) ?? []
  if (isRoot && name) {
    say(`installing bubblewrap with ${name} (the executor's sandbox) …`)
    const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    for (const step of steps) spawnSync(name, step, { stdio: ['ignore', 'ignore', 'ignore'], env: environment })
    if (onPath('bwrap')) return
  }
  const line = name ? `sudo ${name} ${steps.at(-1).join(' ')}` : "your system's package bubblewrap"
  say(`bubblewrap is missing, so submissions will not be judged here; install it with: ${line}`)
}

/** The tests of the page want a browser, and say so where there is none; a start never needs one. */
function wantsBrowser() {
  return level === 'test' && process.platform === 'linux' && !browsers.some(onPath)
}

/** Debian's package works for root without further ado; elsewhere it is left to who runs the tests. */
function installBrowser() {
  if (process.getuid?.() === 0 && onPath('apt-get')) {
    say('installing chromium with apt-get (for the tests of the page) …')
    const options = { stdio: 'ignore', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } }
    spawnSync('apt-get', ['update', '-qq'], options)
    for (const name of ['chromium-headless-shell', 'chromium']) {
      spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', name], options)
      if (onPath(name)) return
    }
  }
  say("there is no Chromium here, so the tests of the page are skipped; install your system's package chromium")
}

function onPath(name) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => folder !== '' && existsSync(join(folder, name)))
}

/** Two starts in one checkout must not install over each other; a lock left by a dead process is taken over. */
async function alone(act, isDone = isReady) {
  const deadline = Date.now() + 15 * 60_000
  for (;;) {
    try {
      writeFileSync(lockPath, String(process.pid), { flag: 'wx' })
      break
    } catch (error) {
      if (error.code !== 'EEXIST') throw new SetUpError(`This folder can't be written (${error.code}): ${root}`)
      if (isStale() || Date.now() > deadline) rmSync(lockPath, { force: true })
      else await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }
  try {
    if (!isDone()) await act()
  } finally {
    rmSync(lockPath, { force: true })
  }
}

function isStale() {
  try {
    const pid = Number(readFileSync(lockPath, 'utf8'))
    if (pid === 0) return Date.now() - statSync(lockPath).mtimeMs > 5_000
    process.kill(pid, 0)
    return false
  } catch (error) {
    return error.code === 'ESRCH'
  }
}

function npm(words, failure) {
  const script = process.env.npm_execpath
  const byScript = script?.endsWith('.js') && existsSync(script)
  const [file, first] = byScript ? [process.execPath, [script]] : ['npm', []]
  const result = spawnSync(file, [...first, ...words, '--no-fund', '--no-audit', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    env: { ...process.env, NODE_ENV: '' },
    shell: process.platform === 'win32' && !byScript,
  })
  if (result.status === 0) return
  const isMissing = result.error?.code === 'ENOENT'
  const reason = isMissing ? 'there is no npm here' : (result.error?.message ?? firstErrorLine(result.stderr))
  throw new SetUpError(`${failure}: ${reason}`)
}

function firstErrorLine(output) {
  const lines = output.split('\n').map((line) => line.replace(/^npm (error|ERR!) ?/, '').trim())
  return lines.find((line) => line !== '' && !/^code\b|^errno\b|^npm warn/.test(line)) ?? 'npm gave no reason.'
}

/**
 * Hands over to the file, with the right Node. Where this Node can, it becomes that process: one less stays in memory,
 * and signals, the exit code and who started us are its own. The shell of npm does the same (`exec` in package.json),
 * since it would end of a signal to the group without waiting for us, and npm with it.
 */
async function hand(node, [file, ...words]) {
  const parts = ['--disable-warning=ExperimentalWarning', await findFile(file), ...words]
  const env = {
    // Node keeps what it compiled.
    NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'node'),
    ...process.env,
    PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`,
  }
  // Tests bring their processes down with them, and are killed by their group.
  if (level === 'start' && process.platform !== 'win32' && typeof process.execve === 'function') {
    process.execve(node, [node, ...parts], env)
  }
  await run(node, parts, env)
}

/** The file as it was built, if it was. */
async function findFile(file) {
  const { builtFile } = await import('./build.mjs')
  const built = file.startsWith('src/') && builtFile(file.slice('src/'.length))
  return built && existsSync(built) ? built : join(root, file)
}

/** Runs beside it, hands signals on, and ends as it ended; the channel tells it if we are killed. */
function run(node, parts, env) {
  const child = spawn(node, parts, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'], env })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    // A terminal sends SIGINT to the whole group: the child has it already.
    process.on(signal, () => (signal === 'SIGINT' && process.stdin.isTTY) || child.kill(signal))
  }
  if (process.env.npm_lifecycle_event) followParent(child)
  return new Promise((resolve, reject) => {
    child.on('error', (error) => reject(new SetUpError(`Node could not be started: ${error.message}`)))
    child.on('exit', (code, signal) => {
      process.exitCode = code ?? 128 + (constants.signals[signal] ?? 1)
      resolve()
    })
  })
}

/** npm that is killed, or a shell of its own between us, says no word to us: that it is gone is how we learn of it. */
function followParent(child) {
  const parent = process.ppid
  setInterval(() => process.ppid === parent || child.kill('SIGTERM'), 500).unref()
}

function say(text) {
  process.stderr.write(`guildhall: ${text}\n`)
}
