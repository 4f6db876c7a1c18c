/** A port of which some members are replaced. The others are called on the port itself, which may be of any class. */
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
