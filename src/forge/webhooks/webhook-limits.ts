/** The limits of webhooks; the settings may change them. */

export const defaultWebhookLimits = {
  /** The most hooks of one repository, of one organisation, or of the site. */
  hooks: 20,
  /** How many seconds a receiver has to answer. */
  answerSeconds: 10,
  /** How much of an answer is kept; the rest is not read. */
  answerKib: 16,
  /** The longest payload that is sent. */
  payloadKib: 2_048,
  /** Deliveries that may wait for one hook, and for all hooks of one owner's repositories. */
  queuedPerHook: 1_000,
  queuedPerOwner: 4_000,
  /** The bytes of these, and of everything that waits. */
  queuedMibPerHook: 32,
  queuedMibPerOwner: 64,
  queuedMib: 512,
  /** The payloads recently made for one owner; a minute later half of them still count. */
  recentMibPerOwner: 128,
  /** Payloads made at a time, each for another owner. */
  composedAtOnce: 3,
  /** Requests at a time by one server: in all, to one host, and for one owner. */
  sentAtOnce: 16,
  sentAtOncePerHost: 2,
  sentAtOncePerOwner: 4,
  /** Attempts to deliver one event. */
  tries: 4,
  /** How much of one hook's history is kept. */
  keptDays: 3,
  keptDeliveries: 250,
  keptMib: 16,
}

export type WebhookLimits = typeof defaultWebhookLimits
