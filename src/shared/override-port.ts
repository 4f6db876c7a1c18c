/** Returns a port with some members replaced. Other members are called on the original port, because it may use private fields. */
export function overridePort<T extends object>(port: T, overrides: Partial<T>): T {
  return new Proxy(port, {
    get(target, key) {
      if (Object.hasOwn(overrides, key)) return overrides[key as keyof T]
      const value: unknown = Reflect.get(target, key, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
    has: (target, key) => Object.hasOwn(overrides, key) || Reflect.has(target, key),
  })
}
