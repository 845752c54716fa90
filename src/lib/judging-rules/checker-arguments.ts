/** Words of a checker's arguments that stand for something else: the same for packages, which write them, and for executors. */

/** Stands for the test's group in the arguments of a checker of the testlib kind. */
export const groupWord = '{group}'
