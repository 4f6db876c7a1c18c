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
  done(list: readonly T[]): number {
    const count = this.#count
    const isSame =
      list === this.#list && list.length >= count && list[0] === this.#first && list[count - 1] === this.#last
    return isSame ? count : 0
  }

  /** All items of the list are done. */
  reach(list: readonly T[]): void {
    this.#list = list
    this.#count = list.length
    this.#first = list[0]
    this.#last = list.at(-1)
  }
}

/** Makes a function that adds up a list item by item. Each item of a list that only grows is read once. */
export function incrementally<T extends object, State>(
  start: () => State,
  take: (state: State, item: T) => void,
): (list: readonly T[]) => State {
  const known = new WeakMap<readonly T[], { readonly progress: ListProgress<T>; state: State }>()
  return (list) => {
    const entry = known.get(list) ?? { progress: new ListProgress<T>(), state: start() }
    const done = entry.progress.done(list)
    if (done === 0) entry.state = start()
    for (let index = done; index < list.length; index++) take(entry.state, list[index] as T)
    entry.progress.reach(list)
    known.set(list, entry)
    return entry.state
  }
}
