/**
 * Follows a list that only grows, such as a conversation, so that work on it continues where it stopped instead of
 * starting at the first item again. Another array starts over, and so does one that was shortened or replaced in place.
 */
export class ListProgress<T> {
  #list: readonly T[] | undefined
  #count = 0
  #first: T | undefined
  #last: T | undefined

  /** How many items of the list are done. */
  countDone(list: readonly T[]): number {
    const count = this.#count
    const isSame =
      list === this.#list && list.length >= count && list[0] === this.#first && list[count - 1] === this.#last
    return isSame ? count : 0
  }

  /** Marks all items of the list as done. */
  markDone(list: readonly T[]): void {
    this.#list = list
    this.#count = list.length
    this.#first = list[0]
    this.#last = list.at(-1)
  }
}

/** Makes a function that adds up a list item by item. Each item of a list that only grows is read once. */
export function incrementally<T extends object, State>(
  start: () => State,
  addItem: (state: State, item: T) => void,
): (list: readonly T[]) => State {
  const known = new WeakMap<readonly T[], { readonly progress: ListProgress<T>; state: State }>()
  return (list) => {
    const entry = known.get(list) ?? { progress: new ListProgress<T>(), state: start() }
    const done = entry.progress.countDone(list)
    if (done === 0) entry.state = start()
    for (let index = done; index < list.length; index++) addItem(entry.state, list[index] as T)
    entry.progress.markDone(list)
    known.set(list, entry)
    return entry.state
  }
}
