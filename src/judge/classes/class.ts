/** A class and its members as the rest of the server sees them. */
import type { Account, SignedIn } from '../../accounts/actor.ts'

/** A class is named as a contest is. */
export const classIdPattern = '^[A-Za-z0-9_][A-Za-z0-9_-]{0,35}$'

/** Names that people take for the same. */
export const foldName = (name: string): string => name.normalize('NFKC').replace(/\s+/g, ' ').trim().toLowerCase()

export type ClassRole = 'teacher' | 'student'

export type Class = {
  readonly id: number
  readonly publicId: string
  readonly name: string
  readonly teacherNames: readonly string[]
  readonly studentCount: number
  /** Null where there is none, and to students. */
  readonly joinCode: string | null
  readonly isArchived: boolean
  /** Whether the reader was added by a teacher, and has not accepted. */
  readonly isInvited: boolean
}

export type ClassMember = {
  readonly account: Account
  readonly role: ClassRole
  readonly rosterName: string
  readonly isCreatedHere: boolean
  /** A teacher added the account, which was there before. */
  readonly isPutIn: boolean
  /** A teacher added this student, who has not accepted. */
  readonly isInvited: boolean
}

/** The part of a class that its other services need, and what the actor is in it. */
export type ClassRef = {
  readonly id: number
  readonly publicId: string
  readonly name: string
  readonly isArchived: boolean
  /** An admin is a teacher of every class. */
  readonly role: ClassRole
  readonly isInvited: boolean
}

/** Proof that the actor teaches the class: `class-access.ts` alone makes one. */
export type TaughtClass = ClassRef & { readonly role: 'teacher'; readonly actor: SignedIn }
