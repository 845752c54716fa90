/**
 * The users of boxes: each executor has ids that no other live executor on this machine has, since the kernel counts
 * processes by user, and a program that escaped all other isolation could signal its own user's.
 */
import { readFileSync } from 'node:fs'
import { claimOnMachine, listClaims, type MachineClaim } from '../../../lib/process/machine-claim.ts'
import { pidNamespace } from '../owner.ts'
import { SandboxFailure } from '../sandbox.ts'

export type BoxUsers = { readonly ids: readonly number[]; release(): void }

/** The ids of a machine or a container: the contents of its id maps, and its accounts. */
export type IdSpace = { readonly userMap: string; readonly groupMap: string; readonly accounts: ReadonlySet<number> }

/**
 * Accounts have lower ids. systemd assigns ids of this range to services with `DynamicUser=`; if one coincides with a
 * box's, the namespaces separate the two, as they separate a box from everything else of the host.
 */
const firstUser = 62_000
const lastUser = 65_519
/** Enough for an executor with 30 slots; a larger one has several blocks. */
const blockSize = 64
/** Used if none of those are mapped: system accounts, which may come and go, have lower ids. */
const leastUser = 1_024

/** Without root each box has its own user namespace, so its user is unique. */
export const unclaimedUsers = (count: number): BoxUsers => ({
  ids: Array.from({ length: count }, (_, number) => firstUser + number),
  release() {},
})

/** Claims ids until they are released, or this process ends in any way. */
export function claimUsers(count: number, space: IdSpace = readIdSpace()): BoxUsers {
  const blocks = listBlocks(space)
  const wanted = Math.ceil(count / blockSize)
  if (blocks.length < wanted) {
    throw new SandboxFailure(
      `Boxes need ${wanted * blockSize} user and group ids in a row, and this machine or container has too few: map those up to ${lastUser} (/etc/subuid, /etc/subgid).`,
    )
  }
  // Executors in containers of one kernel may not see each other, so they start at different blocks.
  const begin = Number(pidNamespace()) % blocks.length
  const claims: { readonly first: number; readonly claim: MachineClaim }[] = []
  const release = () => {
    for (const { claim } of claims) claim.release()
  }
  for (const first of [...blocks.slice(begin), ...blocks.slice(0, begin)]) {
    if (claims.length === wanted) break
    const claim = claimOnMachine(nameOf(first))
    if (claim) claims.push({ first, claim })
  }
  if (claims.length < wanted) {
    release()
    throw new SandboxFailure(
      `The users of boxes are taken: this executor needs ${wanted} of ${blocks.length} blocks of ids, and others on this machine have all but ${claims.length}. Stop one of them, or have this one run fewer programs at a time.`,
    )
  }
  const ids = claims.flatMap(({ first }) => Array.from({ length: blockSize }, (_, number) => first + number))
  return { ids: ids.slice(0, count), release }
}

/** How many blocks of ids exist, and how many are claimed by executors visible from here. */
export function countBlocks(): { readonly all: number; readonly taken: number } {
  const blocks = listBlocks(readIdSpace())
  const names = listClaims(nameOf(''))
  return { all: blocks.length, taken: blocks.filter((first) => names.has(nameOf(first))).length }
}

/** The first ids of usable blocks. */
export function listBlocks({ userMap, groupMap, accounts }: IdSpace): number[] {
  const maps = [readMap(userMap), readMap(groupMap)]
  const isMapped = (first: number) =>
    maps.every((map) => map.some(({ from, to }) => from <= first && first + blockSize - 1 <= to))
  const isFree = (first: number) => !accounts.values().some((id) => first <= id && id < first + blockSize)
  const between = (least: number, most: number) =>
    Array.from({ length: Math.floor((most + 1 - least) / blockSize) }, (_, number) => least + number * blockSize)
  const usual = between(firstUser, lastUser).filter(isMapped)
  return usual.length > 0
    ? usual
    : between(leastUser, firstUser - 1).filter((first) => isMapped(first) && isFree(first))
}

function readMap(text: string): { from: number; to: number }[] {
  return text
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter((words) => words.length === 3)
    .map(([inside, , length]) => ({ from: inside!, to: inside! + length! - 1 }))
}

function readIdSpace(): IdSpace {
  const accounts = ['/etc/passwd', '/etc/group'].flatMap((path) =>
    readText(path)
      .split('\n')
      .map((line) => Number(line.split(':')[2]))
      .filter(Number.isInteger),
  )
  const everything = '0 0 4294967295'
  const [userMap, groupMap] = ['uid_map', 'gid_map'].map((name) => readText(`/proc/self/${name}`) || everything)
  return { userMap: userMap!, groupMap: groupMap!, accounts: new Set(accounts) }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

const nameOf = (first: number | '') => `guildhall-box-users-${first}`
