/** Wraps an object in a proxy that records whether it was read, which shows whether a result can depend on it. */
export function watchAccess<T extends object>(target: T): { readonly value: T; wasTouched(): boolean } {
  let isTouched = false
  const touch = <R>(result: R): R => {
    isTouched = true
    return result
  }
  const value = new Proxy<T>(target, {
    get: (object, key) => touch(Reflect.get(object, key)),
    has: (object, key) => touch(Reflect.has(object, key)),
    ownKeys: (object) => touch(Reflect.ownKeys(object)),
    getOwnPropertyDescriptor: (object, key) => touch(Reflect.getOwnPropertyDescriptor(object, key)),
  })
  return { value, wasTouched: () => isTouched }
}
