/** What is lost without a cgroup, and how to get one on this machine. */
import { existsSync } from 'node:fs'

export const lostWithoutCgroup =
  "without a cgroup a program's memory and processor time are sampled: it can take more than its limits, and its neighbours' share"

/** The next step for this kind of machine. */
export function adviseOnCgroups(environment: NodeJS.ProcessEnv = process.env, isThere = existsSync): string {
  if (isThere('/.dockerenv') || isThere('/run/.containerenv')) {
    return 'start the container as root with a cgroup of its own that it may write (docker run --privileged --cgroupns=private …)'
  }
  if (!isThere('/run/systemd/system')) return 'run the executor as root'
  if (environment.INVOCATION_ID && environment.SYSTEMD_EXEC_PID) {
    return 'add the lines "Delegate=memory pids cpu" and "DelegateSubgroup=server" to the service (systemd 254), or run the executor as root'
  }
  return 'start it with "systemd-run --user --scope npm start", or run the executor as root'
}

export const refuseWithoutCgroup = (reason: string): string =>
  `No cgroup can be made here (${reason}), so nothing is judged: ${lostWithoutCgroup}. ` +
  `To get one, ${adviseOnCgroups()}; docs/executor.md has the details. ` +
  'To judge all the same, say what to go without: --without limits, or GUILDHALL_EXECUTOR_WITHOUT=limits for the executor inside.'
