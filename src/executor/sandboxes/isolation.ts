/** Isolation: before the first submission, a script inside a box checks what it can reach. */
import { readlinkSync } from 'node:fs'
import type { Omission } from './omissions.ts'
import { type Sandbox, SandboxFailure } from './sandbox.ts'

/** Runs inside a box, with a program's rights. */
const questions = `
for each in /proc/self/fd/*; do case $each in */0|*/1|*/2|*/3) ;; *) [ -e "$each" ] && echo "descriptors $each" ;; esac; done
grep -q '^NoNewPrivs:.1' /proc/self/status || echo privileges
grep -q '^CapEff:.0*$' /proc/self/status || echo capabilities
grep -q '^Seccomp:.2' /proc/self/status || echo filter
for kind in pid mnt ipc net uts cgroup user; do echo "namespace $kind $(readlink /proc/self/ns/$kind)"; done
(: > /usr/.guildhall) 2>/dev/null && echo writing
(: > /.guildhall) 2>/dev/null && echo writing
(: > /box/file) 2>/dev/null || echo folder
exit 0
`

const meanings: Record<string, string> = {
  descriptors: "descriptors of the executor's own are open inside",
  privileges: 'a program could gain privileges',
  capabilities: 'a program has capabilities',
  filter: 'the system call filter is not in force',
  writing: "the host's folders can be written",
  folder: 'the work folder can not be written',
}

/** Fails and names the missing protections, unless the operator allowed each by name. */
export async function demandIsolation(sandbox: Sandbox, without: readonly Omission[]): Promise<void> {
  const missing = (await findBreaches(sandbox)).filter((breach) => !without.some((word) => word === breach.name))
  if (missing.length === 0) return
  const words = missing.map((breach) => breach.meaning).join('; ')
  throw new SandboxFailure(`This machine can't judge safely: ${words}.`)
}

export async function findBreaches(sandbox: Sandbox): Promise<{ name: string; meaning: string }[]> {
  let answers = ''
  await sandbox.run({
    command: ['/bin/sh', '-c', questions],
    environment: { PATH: '/usr/bin:/bin' },
    folders: [],
    files: [],
    limits: {
      cpuMs: 10_000,
      wallMs: 20_000,
      memoryBytes: 256 * 1024 * 1024,
      outputBytes: 65_536,
      folderBytes: 1024 * 1024,
      processes: 32,
    },
    onOutput: (chunk) => {
      answers += Buffer.from(chunk).toString()
    },
  })
  const breaches: { name: string; meaning: string }[] = []
  for (const line of answers.split('\n').filter(Boolean)) {
    const [name = '', kind = '', link = ''] = line.split(' ')
    if (name !== 'namespace') breaches.push({ name, meaning: meanings[name] ?? line })
    // As root, boxes need no user namespace: they run as an unprivileged user of the host.
    else if (kind === 'user' && process.getuid?.() === 0) continue
    else if (link === '' || link === readlinkSync(`/proc/self/ns/${kind}`)) {
      breaches.push({ name: kind, meaning: `the ${kind} namespace is the host's` })
    }
  }
  return breaches
}
