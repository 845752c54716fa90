/** The views of one's own account. */
export { Keys } from './keys.tsx'
export { MyAccount } from './my-account.tsx'
export { Sessions } from './sessions.tsx'
export { SignIn, SignUp } from './sign-in.tsx'
export { Tokens } from './tokens.tsx'
