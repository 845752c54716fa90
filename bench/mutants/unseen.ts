/** Faults that no user could see, told from the others by reading them: each with the reason. */

export const unseen: Readonly<Record<string, string>> = {
  // Seed 33.
  '1a7b2412': 'an intersection of one part finds what the part finds',
  b1219463: 'a second connection of the pool is never opened: one query is asked',
  '23237bc0': 'a batch of texts ends at its bound instead of beyond it: the answers are equal',
  '01b092ba': 'records alike are left out by the last merge, too',
  '03825613': 'rows are grouped by problem afterwards, in whatever order the problems come',
  '9ccf1c1d': 'a text never begins inside a character, so that the loop ends before',
  ec1ee547: 'the stream waits at its bound instead of beyond it',
  '13eca0f1': 'a spare buffer as long as another is as good',
  '54837dce': 'equal texts were told before',
  '810962e6': 'a millisecond of 25 seconds',
  '7016fd0d': 'a millisecond of the time after which it is busy',
  '8f54498f': 'the timer ends with the last stream, which is ended here, too',
  '27fcd902': 'nothing is counted as nothing',
  '07f23ab1': 'a listing never begins with an empty line: of no files wc says 0',
  '070a2ee2': 'the one route that says when it was modified has answered 304 by then',
  '3f7b09be': 'what is counted twice is fitted to what git has when the pull’s ref is written',
}
