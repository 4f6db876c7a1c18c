export type MaybePromise<T> = T | Promise<T>

/** Applies a function to a value now, or when its promise resolves. */
export function andThen<T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value)
}
