/** Reads an account's profile from a body. */
import { omitUndefined } from '../../../lib/omit-undefined.ts'
import { NullableText, Optional, Text } from '../schemas.ts'

const line = Optional(NullableText(255))

export const profileShape = {
  name: Optional(Text(255)),
  email: line,
  blog: line,
  company: line,
  location: line,
  bio: Optional(NullableText(1000)),
}

type ProfileBody = {
  readonly name?: string | undefined
  readonly email?: string | null | undefined
  readonly blog?: string | null | undefined
  readonly company?: string | null | undefined
  readonly location?: string | null | undefined
  readonly bio?: string | null | undefined
}

/** Addresses are stored and compared in lower case. An empty one means none. */
export const readProfile = ({ name, email, blog: website, company, location, bio }: ProfileBody) =>
  omitUndefined({
    name,
    email: email === undefined ? undefined : email?.toLowerCase() || null,
    website,
    company,
    location,
    bio,
  })
