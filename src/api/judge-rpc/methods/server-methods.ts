/** JSON-RPC methods of the server itself: its languages and its switches. */

import { Type } from 'typebox'
import type { SwitchBoard, Switches } from '../../../accounts/switches.ts'
import { defineMethod, type Method } from '../method.ts'
import { Empty, orNull, presentSetting, SettingChange, SettingSchema } from '../shapes/basic-shapes.ts'

const LanguageSchema = Type.Object({ Value: Type.String(), Name: Type.String() })

type Needs = {
  switches: Switches
  /** The configured address, if there is one. */
  baseUrl: string | undefined
  describe(): Promise<{ isDistributed: boolean; languages: readonly { value: string; name: string }[] }>
}

export const serverMethods = ({ switches, baseUrl, describe }: Needs): Method[] => [
  defineMethod({
    name: 'get_server_info',
    summary: 'Describes this server: its languages and its switches.',
    isOpen: true,
    params: Empty,
    result: Type.Object({
      IsDistributed: Type.Boolean(),
      PublicAddress: orNull<string>(Type.String()),
      SupportedLanguageList: Type.Array(LanguageSchema),
      Setting: SettingSchema,
    }),
    async run() {
      const { isDistributed, languages } = await describe()
      return {
        IsDistributed: isDistributed,
        PublicAddress: baseUrl ?? null,
        SupportedLanguageList: languages.map(({ value, name }) => ({ Value: value, Name: name })),
        Setting: presentSetting(await switches.read()),
      }
    },
  }),

  defineMethod({
    name: 'update_setting',
    summary: 'Turns switches; a missing group stays as it is.',
    nullIsAbsent: true,
    params: Type.Object({ Setting: SettingChange }),
    result: Type.Object({ Setting: SettingSchema }),
    async run({ actor }, { Setting: { Account, Problem, Submission } }) {
      const change: Partial<SwitchBoard> = {
        ...(Account && {
          account: {
            disableCreation: Account.DisableAccountCreation,
            disableUpdate: Account.DisableAccountUpdate,
            disableSessionForContestant: Account.DisableSessionCreationForContestant,
            disableSessionForProblemSetter: Account.DisableSessionCreationForProblemSetter,
          },
        }),
        ...(Problem && {
          problem: { disableCreation: Problem.DisableProblemCreation, disableUpdate: Problem.DisableProblemUpdate },
        }),
        ...(Submission && { submission: { disableCreation: Submission.DisableSubmissionCreation } }),
      }
      return { Setting: presentSetting(await switches.update(actor, change)) }
    },
  }),
]
