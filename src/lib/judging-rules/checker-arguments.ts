/** Placeholders in a checker's arguments, shared by packages, which write them, and executors. */

/** Stands for the test's group in the arguments of a checker of the testlib kind. */
export const groupWord = '{group}'
