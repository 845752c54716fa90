/** The views of authorised apps and of one's own apps. */
export { Apps } from './apps.tsx'
export { NewApp } from './new-app.tsx'
export { OAuthAppView, OwnAppView } from './own-app.tsx'
