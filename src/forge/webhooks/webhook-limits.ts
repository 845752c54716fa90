/** The bounds of webhooks, which the settings may change. */

export const defaultWebhookLimits = {
  /** Of one repository, one organisation, or the site. */
  hooks: 20,
  /** A receiver has so many seconds to answer. */
  answerSeconds: 10,
  /** Of an answer, so much is kept; the rest is not read. */
  answerKib: 16,
  /** A longer payload is not sent. */
  payloadKib: 2_048,
  /** Deliveries that wait for one hook, and for all hooks of one owner's repositories. */
  queuedPerHook: 1_000,
  queuedPerOwner: 4_000,
  /** What they come to, and all that wait together. */
  queuedMibPerHook: 32,
  queuedMibPerOwner: 64,
  queuedMib: 512,
  /** Payloads made for one owner lately, of which half counts a minute later. */
  recentMibPerOwner: 128,
  /** Payloads made at a time, each for another owner. */
  composedAtOnce: 3,
  /** Sent at a time by one server: in all, to one host, and for one owner. */
  sentAtOnce: 16,
  sentAtOncePerHost: 2,
  sentAtOncePerOwner: 4,
  /** Attempts to deliver one event. */
  tries: 4,
  /** What is kept of the past of one hook. */
  keptDays: 3,
  keptDeliveries: 250,
  keptMib: 16,
}

export type WebhookLimits = typeof defaultWebhookLimits
