export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  /** A permission was denied, or needed and nobody could be asked. */
  permission: 3,
  /** The most turns, or the most money, is spent. */
  limit: 4,
  /** No key, or no such model. */
  noModel: 5,
  interrupted: 130,
} as const
