/** Java. */
import { programsIn, type SuiteProgram } from './program.ts'

const { passes, isNoProgram, crashes, runsOver, eatsMemory } = programsIn('java')
const roomy = { timeLimitMs: 3000 }
const greets = { expected: 'hello\n', ...roomy }
const main = (body: string) =>
  `public class Main { public static void main(String[] a) throws Exception { ${body} } }\n`

export const javaPrograms: SuiteProgram[] = [
  passes(
    'any class name, in a package, after a helper',
    '\uFEFFpackage some.place;\nimport java.util.*;\nclass Helper { static int add(int a, int b) { return a + b; } }\npublic class Whatever { public static void main(String[] a) { Scanner in = new Scanner(System.in); System.out.println(Helper.add(in.nextInt(), in.nextInt())); } }\n',
    { input: '20 22\n', expected: '42', ...roomy },
  ),
  passes(
    'the public class has the main, whatever others have',
    'class Early { public static void main(String[] a) { System.out.println("early"); } }\npublic class Late { static class Inner { public static void main(String[] a) { System.out.println("inner"); } } public static void main(String[] a) { System.out.println("hello"); } }\n',
    greets,
  ),
  passes(
    'uses half of its memory',
    main(
      'byte[][] kept = new byte[32][]; for (int i = 0; i < 32; i++) { kept[i] = new byte[1 << 20]; kept[i][i] = 1; } System.out.println(kept.length);',
    ),
    { expected: '32', ...roomy },
  ),
  passes(
    'makes much rubbish',
    main(
      'long n = 0; for (int i = 0; i < 3000; i++) { byte[] b = new byte[1 << 20]; n += b.length; } System.out.println(n >> 20);',
    ),
    { expected: '3000', ...roomy },
  ),
  passes(
    'recurses deeply',
    'public class Main { static int f(int n) { return n == 0 ? 0 : 1 + f(n - 1); } public static void main(String[] a) { System.out.println(f(100000)); } }\n',
    { expected: '100000', ...roomy },
  ),
  passes('runs in 4 MiB of heap', main('System.out.println("hello");'), { ...greets, memoryLimitMiB: 4 }),
  isNoProgram('a syntax error', 'public class Main { void f( }\n', { says: /Main\.java:1: error/ }),
  isNoProgram('no main', 'public class Main { static int f() { return 1; } }\n', { says: /main/ }),
  crashes('an exception', main('throw new IllegalStateException("oops");'), { exitCode: 1, says: /oops/, ...roomy }),
  crashes('an exit code', main('System.out.println("hello"); System.exit(3);'), { exitCode: 3, ...greets }),
  crashes(
    'recursion without end',
    'public class Main { static int f(int n) { return f(n + 1) + 1; } public static void main(String[] a) { System.out.println(f(0)); } }\n',
    { exitCode: 1, says: /StackOverflowError/, memoryLimitMiB: 1024, timeLimitMs: 6000 },
  ),
  crashes(
    'words of a full heap that nobody filled',
    main(
      'System.err.println("Exception in thread \\"main\\" java.lang.OutOfMemoryError: Java heap space"); System.exit(1);',
    ),
    { exitCode: 1, ...roomy },
  ),
  passes(
    'an array of three quarters of its memory',
    main('byte[] x = new byte[48 << 20]; x[x.length - 1] = 1; System.out.println(x.length >> 20);'),
    { expected: '48', ...roomy },
  ),
  isNoProgram(
    'a class whose name is too long for a file',
    `public class ${'M'.repeat(260)} { public static void main(String[] a) { } }\n`,
    { says: /File name too long/ },
  ),
  runsOver('an endless loop', main('for (;;) ;'), { timeLimitMs: 1000 }),
  eatsMemory('an array in one go', main('long[] x = new long[1 << 27]; System.out.println(x.length);'), roomy),
  eatsMemory('memory outside the heap', main('java.nio.ByteBuffer.allocateDirect(96 << 20).put(7, (byte) 1);'), roomy),
  eatsMemory(
    'twice its memory outside the heap, of which the runtime has no use',
    main(
      'var f = Class.forName("sun.misc.Unsafe").getDeclaredField("theUnsafe"); f.setAccessible(true); var u = (sun.misc.Unsafe) f.get(null); u.setMemory(u.allocateMemory(128L << 20), 128L << 20, (byte) 1); System.out.println("hello");',
    ),
    { ...roomy, expected: 'hello' },
  ),
  eatsMemory(
    'some in the heap and some outside, which together are too much',
    main(
      'byte[] x = new byte[50 << 20]; x[7] = 1; var y = java.nio.ByteBuffer.allocateDirect(60 << 20); for (int i = 0; i < y.capacity(); i += 4096) y.put(i, (byte) 1); System.out.println(x[7] + y.get(0));',
    ),
    { ...roomy, expected: '2' },
  ),
  passes(
    'keeps three quarters of its memory and makes much rubbish',
    main(
      'byte[][] kept = new byte[48][]; for (int i = 0; i < 48; i++) kept[i] = new byte[1 << 20]; long n = 0; for (int i = 0; i < 3000; i++) { byte[] b = new byte[1 << 20]; n += b.length; } System.out.println((n >> 20) + kept.length);',
    ),
    { expected: '3048', ...roomy },
  ),
  passes(
    'has some in the heap and some outside, which together are not too much',
    main(
      'byte[] x = new byte[24 << 20]; x[7] = 1; var y = java.nio.ByteBuffer.allocateDirect(24 << 20); for (int i = 0; i < y.capacity(); i += 4096) y.put(i, (byte) 1); System.out.println(x[7] + y.get(0));',
    ),
    { ...roomy, expected: '2' },
  ),
  eatsMemory(
    'a list without end',
    main('java.util.List<byte[]> x = new java.util.ArrayList<>(); for (;;) x.add(new byte[1 << 20]);'),
    roomy,
  ),
]
