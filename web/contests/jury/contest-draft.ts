/** A contest as edited in the form, and its defaults. */
import type { ContestDraft } from '../../api/contests.ts'

export const minute = 60_000

export const firstDraft: ContestDraft = {
  Name: '',
  FormalName: null,
  Style: 'icpc',
  IsPublic: true,
  IsOpen: false,
  StartTime: null,
  CountdownPause: null,
  Duration: 300 * minute,
  FreezeDuration: 60 * minute,
  PenaltyMinute: 20,
  LanguageList: [],
  BoardIsHidden: false,
  ShowsProblemsToPublic: false,
  GoldMedalCount: 4,
  SilverMedalCount: 4,
  BronzeMedalCount: 4,
  WorldFinalsRanks: false,
  RemovedIntervalList: [],
  JuryList: [],
  StaffList: [],
}

export type Change = (part: Partial<ContestDraft>) => void
