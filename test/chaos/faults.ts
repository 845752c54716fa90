/** Faults: each is brought about, lasts for a drawn time, and is over. The same seed draws the same ones in the same order. */
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../fuzz/random.ts'
import type { Cluster } from './cluster.ts'

type Fault = (cluster: Cluster, random: Random) => Promise<string>

const lasts = (random: Random, leastMs: number, mostMs: number): Promise<void> =>
  sleep(leastMs + random.below(mostMs - leastMs))

export const faults: Record<string, Fault> = {
  async 'kill a server'({ servers }, random) {
    const { member } = random.pick(servers)
    await member.kill()
    await lasts(random, 0, 500)
    await member.start()
    return member.name
  },

  async 'kill an executor'({ executors }, random) {
    const executor = random.pick(executors)
    await executor.kill()
    await lasts(random, 0, 500)
    await executor.start()
    return executor.name
  },

  async 'freeze a server'({ servers }, random) {
    const { member } = random.pick(servers)
    member.freeze()
    await lasts(random, 500, 3_000)
    member.thaw()
    return member.name
  },

  async 'freeze an executor'({ executors }, random) {
    const executor = random.pick(executors)
    executor.freeze()
    // Sometimes for longer than its lease lasts.
    await lasts(random, 1_000, 7_000)
    executor.thaw()
    return executor.name
  },

  async 'silence the network to the database'({ servers }, random) {
    const { proxy, member } = random.pick(servers)
    proxy.pause()
    await lasts(random, 500, random.isChance(0.2) ? 15_000 : 4_000)
    await proxy.resume()
    return member.name
  },

  async 'cut the connections to the database'({ servers }, random) {
    const { proxy, member } = random.pick(servers)
    for (let cuts = 1 + random.below(3); cuts > 0; cuts--) {
      proxy.cut()
      await lasts(random, 50, 300)
    }
    return member.name
  },

  async 'refuse connections to the database'({ servers }, random) {
    const { proxy, member } = random.pick(servers)
    await proxy.refuse()
    await lasts(random, 500, 3_000)
    await proxy.resume()
    return member.name
  },

  async 'restart the database'({ postgres }, random) {
    const signal = random.pick(['SIGINT', 'SIGQUIT'] as const)
    await postgres.restart(signal)
    return signal === 'SIGINT' ? 'as an administrator would' : 'as a crash does'
  },

  async 'fill the disk'({ dataFolder, canBeFull }, random) {
    if (!canBeFull) return 'not tried: a small file system can not be mounted here'
    const filler = join(dataFolder, 'filler')
    try {
      fill(filler)
      await lasts(random, 500, 2_500)
    } finally {
      rmSync(filler, { force: true })
    }
    return 'the data folder'
  },

  async 'start a server with a wrong clock'({ servers, serverWords }, random) {
    const { member } = random.pick(servers)
    const offsetMs = random.pick([-90_000, 90_000, 3_600_000])
    await member.end()
    member.change(serverWords(offsetMs))
    await member.start()
    return `${member.name}, ${offsetMs / 1000} s`
  },
}

function fill(path: string): void {
  const file = openSync(path, 'w')
  try {
    for (let size = 1024 * 1024; size >= 1; size = Math.floor(size / 2)) {
      const piece = Buffer.alloc(size)
      try {
        while (writeSync(file, piece) === size);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      }
    }
  } finally {
    closeSync(file)
  }
}

/** One fault after the other, every kind once before any comes again, until there were enough or it is time. */
export async function bringAbout(
  cluster: Cluster,
  random: Random,
  { isOver, tell }: { isOver(rounds: number): boolean; tell(line: string): void },
): Promise<void> {
  for (let rounds = 0; !isOver(rounds); rounds++) {
    for (const name of shuffle(Object.keys(faults), random)) {
      if (rounds > 0 && isOver(rounds)) return
      await lasts(random, 100, 1_200)
      const began = performance.now()
      const what = await faults[name]!(cluster, random)
      tell(`${name}: ${what}, ${Math.round(performance.now() - began)} ms`)
    }
  }
}

function shuffle<T>(list: readonly T[], random: Random): T[] {
  const left = [...list]
  return list.map(() => left.splice(random.below(left.length), 1)[0]!)
}
