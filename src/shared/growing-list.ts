/**
 * Follows a list that only grows, such as a conversation, so that work on it continues where it stopped instead of
 * starting at the first item again. Work starts over for another array, and for one that became shorter or whose first
 * or last finished item was replaced. Other changes in place are not noticed.
 */
export class ListProgress<T> {
  #list: readonly T[] | undefined
  #count = 0
  #first: T | undefined
  #last: T | undefined

  /** Returns how many items of the list are done; 0 if work starts over. */
  countDone(list: readonly T[]): number {
    const count = this.#count
    const isSame =
      list === this.#list && list.length >= count && list[0] === this.#first && list[count - 1] === this.#last
    return isSame ? count : 0
  }

  markDone(list: readonly T[]): void {
    this.#list = list
    this.#count = list.length
    this.#first = list[0]
    this.#last = list.at(-1)
  }
}

/** Returns a function that computes a state from a list, item by item. Each item of a list that only grows is read once. */
export function createIncrementalFold<T extends object, State>(
  createState: () => State,
  addItem: (state: State, item: T) => void,
): (list: readonly T[]) => State {
  const entries = new WeakMap<readonly T[], { readonly progress: ListProgress<T>; state: State }>()
  return (list) => {
    const entry = entries.get(list) ?? { progress: new ListProgress<T>(), state: createState() }
    const doneCount = entry.progress.countDone(list)
    if (doneCount === 0) entry.state = createState()
    for (let index = doneCount; index < list.length; index++) addItem(entry.state, list[index] as T)
    entry.progress.markDone(list)
    entries.set(list, entry)
    return entry.state
  }
}
