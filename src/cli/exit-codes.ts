export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  /** A permission was denied, or needed and nobody could be asked. */
  permission: 3,
  interrupted: 130,
} as const
