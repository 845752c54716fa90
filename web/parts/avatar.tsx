/** Somebody's picture: beside their name, which says who it is. */
export const Avatar = ({ id, size = 20 }: { id: number; size?: number }) => (
  <img class="avatar" src={`/avatars/${id}`} alt="" width={size} height={size} loading="lazy" />
)

/** A person's name, with their picture, leading to their page. */
export const PersonLink = ({ user }: { user: { readonly id: number; readonly login: string } }) => (
  <a class="person" href={user.login.endsWith('[bot]') ? `/apps/${user.login.slice(0, -5)}` : `/${user.login}`}>
    <Avatar id={user.id} /> {user.login}
  </a>
)
