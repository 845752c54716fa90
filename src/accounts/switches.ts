/** The seven switches that turn parts of the judge off. A switch binds every role. */
import type { Clock } from '../lib/clock.ts'
import { demand } from '../lib/failure.ts'
import { prepareQuery } from '../store/prepared.ts'
import type { Store } from '../store/store.ts'
import { type Actor, type Role, requireRole } from './actor.ts'
import { recordAudit } from './audit/audit-log.ts'

export type SwitchBoard = {
  readonly account: {
    readonly disableCreation: boolean
    readonly disableUpdate: boolean
    readonly disableSessionForContestant: boolean
    readonly disableSessionForProblemSetter: boolean
  }
  readonly problem: { readonly disableCreation: boolean; readonly disableUpdate: boolean }
  readonly submission: { readonly disableCreation: boolean }
}

const allOn: SwitchBoard = {
  account: {
    disableCreation: false,
    disableUpdate: false,
    disableSessionForContestant: false,
    disableSessionForProblemSetter: false,
  },
  problem: { disableCreation: false, disableUpdate: false },
  submission: { disableCreation: false },
}

export type Switches = ReturnType<typeof makeSwitches>

export function makeSwitches({ store, clock }: { store: Store; clock: Clock }) {
  const findBoard = prepareQuery(store.db, () =>
    store.db.selectFrom('setting').select('value').where('key', '=', 'switches'),
  )

  async function read(db = store.db): Promise<SwitchBoard> {
    const [row] = await findBoard({}, db)
    return row ? { ...allOn, ...(JSON.parse(row.value) as SwitchBoard) } : allOn
  }

  function refuseIf(isOff: boolean, what: string): void {
    demand(
      !isOff,
      'switched-off',
      'switched-off',
      `${what} is switched off on this server; ask an admin to switch it on.`,
    )
  }

  return {
    read: () => read(),

    /** A group missing from the change stays as it is. */
    async update(actor: Actor, change: Partial<SwitchBoard>): Promise<SwitchBoard> {
      requireRole(actor, ['admin'], 'change settings')
      return store.write(
        async (trx) => {
          const board = { ...(await read(trx)), ...change }
          const value = JSON.stringify(board)
          await trx
            .insertInto('setting')
            .values({ key: 'switches', value })
            .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
            .execute()
          const off = Object.entries(board).flatMap(([group, switches]) =>
            Object.entries(switches).flatMap(([name, isOff]) => (isOff ? [`${group}.${name}`] : [])),
          )
          await recordAudit(trx, clock.now(), actor, { action: 'site.update_switches', data: { switched_off: off } })
          return board
        },
        { locks: ['switches'] },
      )
    },

    async demandAccountCreation() {
      refuseIf((await read()).account.disableCreation, 'Making accounts')
    },
    async demandAccountUpdate() {
      refuseIf((await read()).account.disableUpdate, 'Changing accounts')
    },
    async demandSessionFor(role: Role) {
      const { account } = await read()
      refuseIf(role === 'contestant' && account.disableSessionForContestant, 'Signing in as a contestant')
      refuseIf(role === 'problem_setter' && account.disableSessionForProblemSetter, 'Signing in as a problem setter')
    },
    async demandProblemCreation() {
      refuseIf((await read()).problem.disableCreation, 'Making problems')
    },
    async demandProblemUpdate() {
      refuseIf((await read()).problem.disableUpdate, 'Changing problems and test cases')
    },
    async demandSubmissionCreation() {
      refuseIf((await read()).submission.disableCreation, 'Submitting')
    },
  }
}
