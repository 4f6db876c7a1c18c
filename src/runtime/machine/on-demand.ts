/** Something that is made when it is first asked for. */
export interface OnDemand<T> {
  /** Undefined until it is there. */
  readonly opened: T | undefined
  open(): Promise<T>
  /** What is open or being opened; undefined where nobody asked for it. */
  whenOpened(): Promise<T | undefined>
}

export function onDemand<T>(make: () => Promise<T>): OnDemand<T> {
  let opening: Promise<T> | undefined
  let opened: T | undefined
  return {
    get opened() {
      return opened
    },
    open() {
      opening ??= make().then((made) => {
        opened = made
        return made
      })
      return opening
    },
    whenOpened: async () => opening,
  }
}
