/** The views of apps that act for oneself or are one's own. */
export { Apps } from './apps.tsx'
export { NewApp } from './new-app.tsx'
export { OAuthAppView, OwnAppView } from './own-app.tsx'
