/** A C program that does what it is told, word after word: as a checker by its arguments, as a submission by its first line. */

export const actorSource = `
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char *path(const char *name) {
  static char whole[4096];
  snprintf(whole, sizeof whole, name[0] == '/' ? "%s" : "/box/feedback/%s", name);
  return whole;
}
static void put(const char *name, const char *text) {
  FILE *file = fopen(path(name), "w");
  if (!file) _exit(99);
  fputs(text, file);
  fclose(file);
}
static int reads(const char *name) { return access(name, R_OK) == 0; }

static int act(char **words) {
  char line[65536];
  for (; *words; words++) {
    char *word = *words;
    if (!strcmp(word, "exit")) exit(atoi(words[1]));
    else if (!strcmp(word, "crash")) { *(volatile int *)1 = 1; }
    else if (!strcmp(word, "say")) { printf("%s\\n", *++words); fflush(stdout); }
    else if (!strcmp(word, "complain")) fprintf(stderr, "%s", *++words);
    else if (!strcmp(word, "read")) { if (!fgets(line, sizeof line, stdin)) return 98; }
    else if (!strcmp(word, "expect")) {
      if (!fgets(line, sizeof line, stdin)) return 98;
      line[strcspn(line, "\\n")] = 0;
      if (strcmp(line, *++words)) return 97;
    }
    else if (!strcmp(word, "eof")) { while (fread(line, 1, sizeof line, stdin) > 0); }
    else if (!strcmp(word, "mute")) { fflush(stdout); close(1); }
    else if (!strcmp(word, "hoard")) { char *all = NULL; for (size_t n = 0;; n++) { all = realloc(all, n + 1); int c = getchar(); if (c < 0 || c == '\\n') break; all[n] = c; } }
    else if (!strcmp(word, "orphans")) { signal(SIGCHLD, SIG_IGN); long n = atol(*++words); memset(line, 'x', sizeof line); for (; n > 0; n -= 16 << 20) if (fork() == 0) { for (int i = 0; i < 256; i++) if (write(1, line, sizeof line) < 0) break; _exit(0); } while (waitpid(-1, NULL, 0) > 0); }
    else if (!strcmp(word, "close")) { fflush(stdout); close(1); close(0); }
    else if (!strcmp(word, "write")) { put(words[1], words[2]); words += 2; }
    else if (!strcmp(word, "demand")) { if (!reads(path(*++words))) return 96; }
    else if (!strcmp(word, "lack")) { if (reads(path(*++words))) return 95; }
    else if (!strcmp(word, "link")) { if (symlink(words[2], path(words[1]))) return 94; words += 2; }
    else if (!strcmp(word, "pipe")) { if (mkfifo(path(*++words), 0666)) return 93; }
    else if (!strcmp(word, "spin")) for (;;);
    else if (!strcmp(word, "sleep")) for (;;) pause();
    else if (!strcmp(word, "wait")) usleep(atoi(*++words) * 1000);
    else if (!strcmp(word, "eat")) for (;;) { char *p = malloc(1 << 20); if (p) memset(p, 1, 1 << 20); }
    else if (!strcmp(word, "print")) { long n = atol(*++words); memset(line, 'x', sizeof line); for (; n > 0; n -= sizeof line) fwrite(line, 1, sizeof line, stdout); fflush(stdout); }
    else if (!strcmp(word, "shout")) { long n = atol(*++words); memset(line, 'x', sizeof line); for (; n > 0; n -= sizeof line) fwrite(line, 1, sizeof line, stderr); }
    else if (!strcmp(word, "fork")) { for (int i = 0; i < 1000; i++) if (fork() == 0) for (;;) pause(); }
    else if (!strcmp(word, "stay")) { if (fork() == 0) { signal(SIGTERM, SIG_IGN); for (;;) put("judgemessage.txt", "later"); } }
    else if (!strcmp(word, "fill")) {
      int file = open(path("large"), O_WRONLY | O_CREAT, 0666);
      while (write(file, line, sizeof line) > 0);
    }
    else if (!strcmp(word, "litter")) for (int i = 0; i < 400000; i++) { char name[64]; sprintf(name, "/box/feedback/%d", i); int f = open(name, O_CREAT | O_WRONLY, 0666); if (f < 0) break; close(f); }
    else if (!strcmp(word, "kill")) kill(-1, SIGKILL);
    else return 92;
  }
  return 91;
}

static char *told[1000];
static char text[65536];

int main(int count, char **words) {
  if (count > 3) return act(words + 4);
  int size = 0;
  while (size < (int)sizeof text - 1 && read(0, text + size, 1) == 1 && text[size] != '\\n') size++;
  text[size] = 0;
  int n = 0;
  for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) told[n++] = word;
  return act(told);
}
`
