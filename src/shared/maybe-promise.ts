import { isObject } from './is-record.js'

export type MaybePromise<T> = T | Promise<T>

/** Whether a value is a promise, of any library. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return isObject(value) && typeof value.then === 'function'
}

/** Applies a function to a value now, or when its promise resolves. */
export function andThen<T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value)
}
