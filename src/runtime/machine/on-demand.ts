/** A value that is created on first use. */
export interface OnDemand<T> {
  /** Undefined until it has been created. */
  readonly opened: T | undefined
  open(): Promise<T>
  /** Resolves with the value if it has been requested, else with undefined. Does not create it. */
  whenOpened(): Promise<T | undefined>
}

export function onDemand<T>(create: () => Promise<T>): OnDemand<T> {
  let opening: Promise<T> | undefined
  let opened: T | undefined
  return {
    get opened() {
      return opened
    },
    open() {
      opening ??= create().then((created) => {
        opened = created
        return created
      })
      return opening
    },
    whenOpened: async () => opening,
  }
}
