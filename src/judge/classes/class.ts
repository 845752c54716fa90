/** A class and its members as other modules see them. */
import type { Account, SignedIn } from '../../accounts/actor.ts'

/** Class ids have the same form as contest ids. */
export const classIdPattern = '^[A-Za-z0-9_][A-Za-z0-9_-]{0,35}$'

/** Folds names that people would consider the same. */
export const foldName = (name: string): string => name.normalize('NFKC').replace(/\s+/g, ' ').trim().toLowerCase()

export type ClassRole = 'teacher' | 'student'

export type Class = {
  readonly id: number
  readonly publicId: string
  readonly name: string
  readonly teachers: readonly { readonly name: string; readonly displayName: string }[]
  readonly studentCount: number
  /** Null if there is none, and for students. */
  readonly joinCode: string | null
  readonly isArchived: boolean
  /** Whether a teacher added the reader, who has not accepted yet. */
  readonly isInvited: boolean
}

export type ClassMember = {
  readonly account: Account
  readonly role: ClassRole
  readonly rosterName: string
  readonly isCreatedHere: boolean
  /** A teacher added an account that already existed. */
  readonly isPutIn: boolean
  /** A teacher added this student, who has not accepted yet. */
  readonly isInvited: boolean
}

/** `maySetPassword`: whether the reader may set a new password for the account. */
export type ListedMember = ClassMember & { readonly maySetPassword: boolean }

/** The part of a class that its other services need, and the actor's role in it. */
export type ClassRef = {
  readonly id: number
  readonly publicId: string
  readonly name: string
  readonly isArchived: boolean
  /** Admins are teachers of every class. */
  readonly role: ClassRole
  readonly isInvited: boolean
}

/** Proof that the actor teaches the class; only `class-access.ts` makes one. */
export type TaughtClass = ClassRef & { readonly role: 'teacher'; readonly actor: SignedIn }
