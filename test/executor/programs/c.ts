/** C: time, memory, output and ends of every kind. */
import { programsIn, type SuiteProgram } from './program.ts'

const { passes, crashes, runsOver, eatsMemory, isWrong, floods } = programsIn('c')
const head = '#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n#include <signal.h>\n'
const sum = { input: '20 22\n', expected: '42\n' }
const main = (body: string, more = '') => `${head}${more}\nint main(void) {\n${body}\n}\n`
const hello = 'puts("hello");'
const greets = { expected: 'hello\n' }

export const cPrograms: SuiteProgram[] = [
  passes('a sum', main(String.raw`int a, b; scanf("%d %d", &a, &b); printf("%d\n", a + b);`), sum),
  passes('within 4 MiB of memory', main(hello), { ...greets, memoryLimitMiB: 4 }),
  passes(
    'links the mathematical library',
    main(String.raw`double x; scanf("%lf", &x); printf("%.3f\n", sqrt(x));`, '#include <math.h>'),
    { input: '2\n', expected: '1.414\n' },
  ),
  passes(
    'reads to the end of its input',
    main(String.raw`long n = 0; while (getchar() != EOF) n++; printf("%ld\n", n);`),
    { input: 'x'.repeat(300_000), expected: '300000' },
  ),
  passes('finds the end of an empty input', main(String.raw`printf("%d\n", getchar());`), { expected: '-1' }),
  passes('has no newline at the end', main('printf("hello");'), greets),
  passes(
    'ends lines with blanks and the output with blank lines',
    main(String.raw`printf("a \t\r\nb \v\f\n\n \n\n");`),
    { expected: 'a\nb' },
  ),
  passes('writes NUL bytes that are wanted', main(`putchar('a'); putchar(0); putchar('b');`), {
    expected: 'a\0b\n',
  }),
  passes('writes one line of 8 MiB', main(String.raw`for (int i = 0; i < 8 << 20; i++) putchar('x'); putchar('\n');`), {
    expected: 'x'.repeat(8 << 20),
    timeLimitMs: 2000,
  }),
  passes(
    'floods stderr',
    main(
      'puts("hello"); static char b[65530]; for (int i = 0; i < 65530; i++) b[i] = 48 + i % 10; for (int i = 0; i < 160; i++) fwrite(b, 1, sizeof b, stderr);',
    ),
    { ...greets, says: /^(0123456789)+/ },
  ),
  passes(
    'writes to /dev/stdout by name',
    main(String.raw`FILE *f = fopen("/dev/stdout", "w"); if (!f) return 1; fputs("hello\n", f); fclose(f);`),
    greets,
  ),
  passes(
    'reads /dev/stdin by name',
    main(String.raw`int a, b; FILE *f = fopen("/dev/stdin", "r"); fscanf(f, "%d %d", &a, &b); printf("%d\n", a + b);`),
    sum,
  ),
  passes(
    'uses half of its memory',
    // Volatile, or the compiler sees through it and allocates nothing.
    main(
      String.raw`volatile char *p = malloc(32 << 20); for (int i = 0; i < 32 << 20; i++) p[i] = 1; printf("%d\n", p[12345]);`,
    ),
    { expected: '1' },
  ),
  passes(
    'reserves memory that it never touches',
    main('char *volatile p = malloc(1L << 30); puts(p ? "hello" : "none");'),
    greets,
  ),
  passes(
    'recurses deeply within its memory',
    main(
      String.raw`printf("%d\n", deep(400000));`,
      'int deep(int n) { volatile char pad[64]; pad[0] = 1; return n == 0 ? 0 : pad[0] + deep(n - 1); }',
    ),
    { expected: '400000' },
  ),
  runsOver(
    'a thread’s child computes, and its end is added to nobody',
    main(
      'signal(SIGCHLD, SIG_IGN); pthread_t t; pthread_create(&t, 0, child, 0); pthread_join(t, 0);',
      '#include <pthread.h>\n#include <sys/wait.h>\nstatic void *child(void *x) { for (;;) { if (fork() == 0) { for (volatile long i = 0; i < 100000000; i++) ; _exit(0); } wait(0); } }',
    ),
  ),
  eatsMemory(
    'a thread’s child takes memory',
    main(
      'pthread_t t; pthread_create(&t, 0, child, 0); pthread_join(t, 0);',
      '#include <pthread.h>\n#include <sys/wait.h>\nstatic void *child(void *x) { if (fork() == 0) { volatile char *p = malloc(100 << 20); for (long i = 0; i < 100 << 20; i += 4096) p[i] = 1; sleep(1); _exit(0); } wait(0); return 0; }',
    ),
  ),
  passes(
    'leaves survivors in another session',
    main(
      'if (fork() == 0) { setsid(); if (fork() == 0) { signal(SIGTERM, SIG_IGN); signal(SIGHUP, SIG_IGN); for (;;) pause(); } _exit(0); } puts("hello");',
    ),
    greets,
  ),
  passes('leaves a survivor that computes', main('if (fork() == 0) { setsid(); for (;;) ; } puts("hello");'), greets),
  passes(
    'waits for its children',
    main(
      String.raw`for (int i = 0; i < 4; i++) if (fork() == 0) _exit(i); int s, n = 0; while (wait(&s) > 0) n += WEXITSTATUS(s); printf("%d\n", n);`,
      '#include <sys/wait.h>',
    ),
    { expected: '6' },
  ),
  passes(
    'computes in threads',
    main(
      String.raw`pthread_t t[8]; for (long i = 0; i < 8; i++) pthread_create(&t[i], 0, work, (void *)i); for (int i = 0; i < 8; i++) pthread_join(t[i], 0); printf("%ld\n", total);`,
      '#include <pthread.h>\nlong total; pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; void *work(void *p) { pthread_mutex_lock(&lock); total += (long)p; pthread_mutex_unlock(&lock); return 0; }',
    ),
    { expected: '28' },
  ),
  runsOver('an endless loop', main('for (;;) ;')),
  runsOver('sleeps', main('sleep(60);')),
  runsOver('pauses', main('pause();')),
  runsOver('stops itself', main('raise(SIGSTOP);')),
  runsOver('ignores every signal it can', main('for (int i = 1; i < 65; i++) signal(i, SIG_IGN); for (;;) ;')),
  runsOver('a fork bomb', main('for (;;) fork();'), { memoryLimitMiB: 8192 }),
  runsOver('a fork bomb that sleeps', main('for (;;) if (fork() == 0) for (;;) { fork(); usleep(1000); }'), {
    memoryLimitMiB: 8192,
  }),
  runsOver(
    'children that compute beside each other',
    main('for (int i = 0; i < 4; i++) if (fork() == 0) for (;;) ; pause();'),
  ),
  runsOver(
    'waits for a child that waits for it',
    main('int p[2]; pipe(p); if (fork() == 0) { char c; read(p[0], &c, 1); } else { char c; read(p[0], &c, 1); }'),
  ),
  runsOver(
    'crashes after its time',
    main('time_t t; volatile long n = 0; while (clock() < CLOCKS_PER_SEC * 3 / 10) n++; abort();', '#include <time.h>'),
  ),
  crashes(
    'a thread bomb',
    main(
      'pthread_t t; int n = 0; while (pthread_create(&t, 0, work, 0) == 0) n++; return n > 500 ? 0 : 9;',
      '#include <pthread.h>\nvoid *work(void *p) { pause(); return 0; }',
    ),
    { exitCode: 9 },
  ),
  eatsMemory(
    'takes memory in one go',
    main('volatile char *p = malloc(1L << 30); for (long i = 0; i < 1L << 30; i += 4096) p[i] = 1; puts("hello");'),
    greets,
  ),
  eatsMemory(
    'takes memory slowly',
    main(
      'for (int i = 0; i < 200; i++) { char *p = malloc(1 << 20); memset(p, i, 1 << 20); usleep(500); } puts("hello");',
    ),
    greets,
  ),
  eatsMemory(
    'lets its children take it',
    main(
      'for (int i = 0; i < 5; i++) if (fork() == 0) { char *p = malloc(20 << 20); memset(p, 1, 20 << 20); pause(); } while (wait(0) > 0) ; puts("hello");',
      '#include <sys/wait.h>',
    ),
    greets,
  ),
  eatsMemory(
    'overflows its stack',
    main(
      String.raw`printf("%d\n", deep(1));`,
      'int deep(int n) { volatile char pad[4096]; pad[0] = n; return pad[0] + deep(n + 1) + deep(n + 2); }',
    ),
  ),
  eatsMemory(
    'takes it as shared memory',
    main(
      'char *p = mmap(0, 256 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0); memset(p, 1, 256 << 20); puts("hello");',
      '#include <sys/mman.h>',
    ),
    greets,
  ),
  eatsMemory(
    'takes it as files',
    main(
      'int f = open("file", O_CREAT | O_WRONLY, 0600); char b[65536] = {1}; for (int i = 0; i < 900; i++) if (write(f, b, sizeof b) < 0) return 1; puts("hello");',
      '#include <fcntl.h>',
    ),
    { ...greets, memoryLimitMiB: 16 },
  ),
  floods('writes without end', main('for (;;) puts("all work and no play");'), { timeLimitMs: 5000 }),
  floods(
    'writes 17 MiB where little is wanted',
    main(`char b[1024]; memset(b, 'x', 1024); for (int i = 0; i < 17 * 1024; i++) fwrite(b, 1, 1024, stdout);`),
    greets,
  ),
  isWrong('closes its stdout', main('close(1); puts("hello");'), greets),
  isWrong('says nothing', main(''), greets),
  isWrong('answers on stderr', main(String.raw`fputs("hello\n", stderr);`), { ...greets, says: /hello/ }),
  isWrong('puts a blank in front', main('puts(" hello");'), greets),
  isWrong('doubles a blank', main('puts("a  b");'), { expected: 'a b' }),
  isWrong('leaves a line out', main(String.raw`puts("a\n\nc");`), { expected: 'a\nb\nc' }),
  isWrong('goes on after the end', main(String.raw`puts("hello\nhello");`), greets),
  isWrong('stops before the end', main(hello), { expected: 'hello\nworld\n' }),
  isWrong('prints the expected output twice in one line', main('puts("hellohello");'), greets),
  crashes('exit code 1', main('return 1;'), { exitCode: 1 }),
  crashes('exit code 124, which is no time-out', main('return 124;'), { exitCode: 124 }),
  crashes('exit code 137, which is no kill', main('return 137;'), { exitCode: 137 }),
  crashes('the right answer and a bad exit code', main('puts("hello"); return 3;'), {
    ...greets,
    exitCode: 3,
  }),
  crashes('kills itself', main('kill(getpid(), SIGKILL);'), { signal: 'SIGKILL' }),
  crashes('aborts', main('abort();'), { signal: 'SIGABRT' }),
  crashes('writes to nowhere', main('*(volatile int *)0 = 1;'), { signal: 'SIGSEGV' }),
  crashes('divides by zero, as the signal', main('raise(SIGFPE);'), { signal: 'SIGFPE' }),
  crashes('frees twice', main('char *volatile p = malloc(9); free(p); free(p);'), { signal: 'SIGABRT' }),
  crashes('jumps into its data', main('static char data[16]; ((void (*)(void))data)();'), {}),
  crashes('exit code 130, which is no interrupt', main('return 130;'), { exitCode: 130 }),
  crashes('exit code 141, which is no broken pipe', main('return 141;'), { exitCode: 141 }),
  eatsMemory(
    'a data section larger than its memory',
    `${head}char big[116 << 20] = {1};\nint main(void) { long n = 0; for (long i = 0; i < sizeof big; i += 4096) n += big[i]; printf("%ld\\n", n); }\n`,
    { expected: '1\n' },
  ),
]
