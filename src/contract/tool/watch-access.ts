/** Wraps an object in a proxy that records whether it was read, which shows whether a result can depend on it. */
export function watchAccess<T extends object>(target: T): { readonly value: T; wasRead(): boolean } {
  let isRead = false
  const markRead = <R>(result: R): R => {
    isRead = true
    return result
  }
  const value = new Proxy<T>(target, {
    get: (object, key) => markRead(Reflect.get(object, key)),
    has: (object, key) => markRead(Reflect.has(object, key)),
    ownKeys: (object) => markRead(Reflect.ownKeys(object)),
    getOwnPropertyDescriptor: (object, key) => markRead(Reflect.getOwnPropertyDescriptor(object, key)),
  })
  return { value, wasRead: () => isRead }
}
