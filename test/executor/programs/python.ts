/** Python. */
import { programsIn, type SuiteProgram } from './program.ts'

const { passes, isNoProgram, crashes, runsOver, eatsMemory, isWrong, floods } = programsIn('python')
const greets = { expected: 'hello\n' }

export const pythonPrograms: SuiteProgram[] = [
  passes('a sum', 'print(sum(map(int, input().split())))\n', { input: '20 22\n', expected: '42' }),
  passes('reads all lines', 'import sys\nprint(len(sys.stdin.readlines()))\n', { input: 'a\nb\nc', expected: '3' }),
  passes('opens /dev/stdin', 'print(open("/dev/stdin").read()[::-1])\n', { input: 'abc', expected: 'cba' }),
  passes('a byte order mark and carriage returns', '\uFEFFif True:\r\n    print("hello")\r\n', greets),
  passes('letters beyond ASCII', 'print(input().upper(), "ж")\n', { input: 'é\n', expected: 'É ж' }),
  passes('uses half of its memory', 'x = bytearray(30 << 20)\nprint(len(x))\n', { expected: String(30 << 20) }),
  passes(
    'recurses a hundred thousand deep',
    'import sys\nsys.setrecursionlimit(10**6)\ndef f(n):\n    return 0 if n == 0 else 1 + f(n - 1)\nprint(f(100000))\n',
    { expected: '100000', memoryLimitMiB: 256, timeLimitMs: 1000 },
  ),
  passes('is imported as the main module', 'import __main__, os\nprint(__name__, os.path.basename(__file__))\n', {
    expected: '__main__ main.py',
  }),
  passes(
    'starts a program',
    'import subprocess\nprint(subprocess.run(["/bin/echo", "hello"], capture_output=True, text=True).stdout)\n',
    greets,
  ),
  passes(
    'can write and read its folder',
    'import tempfile\nwith tempfile.TemporaryFile("w+") as f:\n    f.write("hello")\n    f.seek(0)\n    print(f.read())\n',
    greets,
  ),
  passes(
    'finds the network closed',
    'import socket\ntry:\n    socket.create_connection(("127.0.0.1", 22), 1)\n    print("open")\nexcept OSError:\n    print("hello")\n',
    greets,
  ),
  passes(
    'finds no name of the outside',
    'import socket\ntry:\n    socket.getaddrinfo("example.com", 80)\n    print("open")\nexcept OSError:\n    print("hello")\n',
    greets,
  ),
  passes(
    "finds the host's files closed",
    'import os\nseen = [p for p in ("/etc/shadow", "/root/.bashrc", "/work", "/home", "/proc/1/environ") if os.access(p, os.R_OK)]\nprint("hello" if not seen else seen)\n',
    greets,
  ),
  passes(
    'sees only its own processes',
    'import os\nprint("hello" if len([p for p in os.listdir("/proc") if p.isdigit()]) == 2 else "others")\n',
    greets,
  ),
  isNoProgram('a syntax error', 'print("hello"\n', { says: /SyntaxError/ }),
  isNoProgram('a syntax error after a right answer', 'print("hello")\n)\n', { ...greets, says: /SyntaxError/ }),
  isNoProgram('an indentation error', 'if True:\nprint(1)\n', { says: /IndentationError/ }),
  crashes('an exception', 'print(1 // 0)\n', { exitCode: 1, says: /ZeroDivisionError/ }),
  crashes('a syntax error raised by the program', 'raise SyntaxError("not really")\n', {
    exitCode: 1,
    says: /not really/,
  }),
  crashes('a module that is not there', 'import no_such_module\n', { exitCode: 1, says: /ModuleNotFoundError/ }),
  crashes('recursion beyond its limit', 'def f():\n    f()\nf()\n', { exitCode: 1, says: /RecursionError/ }),
  crashes('reading beyond the end', 'input()\ninput()\n', { input: 'one\n', exitCode: 1, says: /EOFError/ }),
  crashes('exit code 137 without a word', 'import os\nos._exit(137)\n', { exitCode: 137 }),
  crashes('ends itself by a signal', 'import os\nos.kill(os.getpid(), 15)\n', { signal: 'SIGTERM' }),
  isWrong('a quiet exit', 'import sys\nsys.exit(0)\nprint("hello")\n', greets),
  runsOver('an endless loop', 'while True: pass\n'),
  runsOver('sleeps', 'import time\ntime.sleep(60)\n'),
  runsOver('catches everything', 'while True:\n    try:\n        while True: pass\n    except BaseException: pass\n'),
  runsOver('forks without end', 'import os\nwhile True:\n    try: os.fork()\n    except OSError: pass\n', {
    memoryLimitMiB: 2048,
  }),
  eatsMemory('a list without end', 'x = []\nwhile True: x.append(bytearray(1 << 16))\n', { timeLimitMs: 2000 }),
  eatsMemory('a string in one go', 'x = "x" * (1 << 30)\nprint("hello")\n', { ...greets, timeLimitMs: 2000 }),
  floods('prints without end', 'while True: print("x" * 10000)\n', { timeLimitMs: 5000 }),
]
