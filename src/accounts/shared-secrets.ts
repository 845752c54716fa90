/** Secrets that all servers of a database share. Each is generated when it is first needed, and stays. */
import { generateSecret } from '../lib/ids.ts'
import type { Store } from '../store/store.ts'

export type SharedSecrets = ReturnType<typeof makeSharedSecrets>

export function makeSharedSecrets({ store }: { store: Store }) {
  const known = new Map<string, string>()

  async function find(key: string): Promise<string | undefined> {
    const row = await store.db.selectFrom('setting').select('value').where('key', '=', key).executeTakeFirst()
    return row?.value
  }

  return {
    async read(name: 'contest-feeds'): Promise<string> {
      const key = `secret ${name}`
      let secret = known.get(key) ?? (await find(key))
      if (secret === undefined) {
        const generated = generateSecret()
        // Another server may draw one at the same moment: the first one counts.
        await store.write((trx) =>
          trx
            .insertInto('setting')
            .values({ key, value: generated })
            .onConflict((conflict) => conflict.column('key').doNothing())
            .execute(),
        )
        secret = (await find(key))!
      }
      known.set(key, secret)
      return secret
    },
  }
}
