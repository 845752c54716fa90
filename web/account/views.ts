/** The views of one's own account. */
export { MyAccount } from './my-account.tsx'
export { SignIn, SignUp } from './sign-in.tsx'
