/** Sources that are no programs, or that attack the compiler. */
import { programsIn, type SuiteProgram } from './program.ts'

const c = programsIn('c')
const cpp = programsIn('cpp')
const rust = programsIn('rust')
const nobody = programsIn('cobol')

export const compilerPrograms: SuiteProgram[] = [
  c.isNoProgram('a syntax error', 'int main(void) { return 0 }\n', { says: /main\.c:1.*error/ }),
  c.isNoProgram('no main', 'int f(void) { return 0; }\n', { says: /main/ }),
  c.isNoProgram('a file of the host by include', '#include "/etc/shadow"\nint main(void) { return 0; }\n', {
    says: /No such file/,
  }),
  c.isNoProgram(
    'a file of the host by assembler',
    '__asm__(".incbin \\"/etc/shadow\\"");\nint main(void) { return 0; }\n',
    { says: /not found/ },
  ),
  c.isNoProgram('a device without end', '#include "/dev/zero"\nint main(void) { return 0; }\n'),
  c.isNoProgram('a device of noise', '#include "/dev/urandom"\nint main(void) { return 0; }\n'),
  c.isNoProgram('standard input as a header', '#include "/dev/stdin"\nint f(void) { return 0; }\n'),
  // Reading it would last until the wall clock runs out.
  c.isNoProgram('the compiler’s own output as a header', '#include "/dev/fd/1"\nint main(void) { return 0; }\n', {
    says: /Permission denied/,
  }),
  cpp.isNoProgram('the compiler’s own output as a header', '#include "/dev/fd/1"\nint main() {}\n', {
    says: /Permission denied/,
  }),
  c.isNoProgram('a source that includes itself', '#include __FILE__\nint main(void) { return 0; }\n', {
    says: /nested/,
  }),
  c.isNoProgram(
    'an endless preprocessor',
    `#define A B B B B B B B B B B\n#define B C C C C C C C C C C\n#define C D D D D D D D D D D\n#define D E E E E E E E E E E\n#define E F F F F F F F F F F\n#define F G G G G G G G G G G\n#define G H H H H H H H H H H\n#define H I I I I I I I I I I\n#define I x x x x x x x x x x\nA\n`,
  ),
  c.isNoProgram('a program of 2 GiB', 'char big[1u << 31] = {1};\nint main(void) { return big[5]; }\n'),
  c.isNoProgram('a hundred errors', `int main(void) {\n${'  undefined_thing();;)\n'.repeat(2_000)}}\n`),
  c.isNoProgram('an empty source of blanks', ' \n'),
  c.passes('a byte order mark', '\uFEFF#include <stdio.h>\nint main(void) { puts("hello"); }\n', { expected: 'hello' }),
  c.passes(
    'carriage returns at the ends of lines',
    '#include <stdio.h>\r\nint main(void) {\r\n  puts("hello");\r\n}\r\n',
    { expected: 'hello' },
  ),
  c.passes('warnings', '#include <stdio.h>\nint main(void) { int *p = 1; puts("hello"); return p == 0; }\n', {
    expected: 'hello',
    says: /warning/,
  }),
  c.passes(
    'an output name of the compiler in its own text',
    '#include <stdio.h>\nint main(void) { puts(__FILE__); }\n',
    { expected: '/program/main.c' },
  ),
  cpp.passes(
    'C++ with the standard library',
    '#include <algorithm>\n#include <iostream>\n#include <vector>\nint main() { std::vector<int> v; int x; while (std::cin >> x) v.push_back(x); std::sort(v.begin(), v.end()); for (int y : v) std::cout << y << " "; std::cout << "\\n"; }\n',
    { input: '3 1 2\n', expected: '1 2 3' },
  ),
  cpp.crashes('an exception nobody catches', 'int main() { throw 42; }\n', { signal: 'SIGABRT' }),
  cpp.eatsMemory(
    'new without end',
    'int main() { for (;;) { volatile char *p = new char[1 << 20]; for (int i = 0; i < 1 << 20; i += 4096) p[i] = 1; } }\n',
  ),
  cpp.isNoProgram(
    'templates without end',
    'template <int N> struct T { static const int v = T<N + 1>::v + T<N + 2>::v; };\nint main() { return T<0>::v; }\n',
    { says: /depth/ },
  ),
  cpp.isNoProgram(
    'constants without end',
    'constexpr int f(int n) { while (true) n++; return n; }\nconstexpr int x = f(0);\nint main() { return x; }\n',
    { says: /constexpr/ },
  ),
  cpp.isNoProgram(
    'templates that double',
    'template <int D, class A> struct T { T<D - 1, T<D - 1, A>> a; T<D - 1, T<D, A*>> b; };\nint main() { T<40, int> t; }\n',
  ),
  rust.passes(
    'Rust',
    'use std::io::Read;\nfn main() { let mut s = String::new(); std::io::stdin().read_to_string(&mut s).unwrap(); println!("{}", s.trim().chars().rev().collect::<String>()); }\n',
    { input: 'abc\n', expected: 'cba' },
  ),
  rust.crashes('a panic', 'fn main() { let v: Vec<i32> = vec![]; println!("{}", v[std::env::args().count()]); }\n', {
    exitCode: 101,
    says: /panicked/,
  }),
  rust.isNoProgram(
    'a file of the host by include_str',
    'fn main() { println!("{}", include_str!("/etc/shadow")); }\n',
    { says: /error/ },
  ),
  nobody.isUnsupported('a language nobody offers', 'DISPLAY "HELLO".\n'),
]
