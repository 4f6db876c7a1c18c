/** Wraps an object in a proxy that records whether it was read, which shows whether a result can depend on it. */
export function watchAccess<T extends object>(target: T): { readonly value: T; wasTouched(): boolean } {
  let isTouched = false
  const markTouched = <R>(result: R): R => {
    isTouched = true
    return result
  }
  const value = new Proxy<T>(target, {
    get: (object, key) => markTouched(Reflect.get(object, key)),
    has: (object, key) => markTouched(Reflect.has(object, key)),
    ownKeys: (object) => markTouched(Reflect.ownKeys(object)),
    getOwnPropertyDescriptor: (object, key) => markTouched(Reflect.getOwnPropertyDescriptor(object, key)),
  })
  return { value, wasTouched: () => isTouched }
}
