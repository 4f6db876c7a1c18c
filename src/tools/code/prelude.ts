/**
 * Prepares a new interpreter: the globals that the code of the model uses. It runs inside the interpreter, where it
 * captures every built-in that it needs, because later code can replace them.
 */
export const PRELUDE = `
(host, emit) => {
  const { stringify, parse } = JSON
  const { isArray } = Array
  const { keys, freeze, create, defineProperty, getPrototypeOf } = Object
  const { apply, ownKeys } = Reflect
  const has = Object.prototype.hasOwnProperty
  const toText = String
  const objectPrototype = Object.prototype
  const MAX_DEPTH = 6
  const MAX_ITEMS = 1000

  /** Text for the model: strings as they are, plain data as JSON, everything else in a short form. */
  const show = (value) => (typeof value === 'string' ? value : inspect(value, 0, []))

  function inspect(value, depth, above) {
    if (value === null) return 'null'
    if (typeof value === 'string') return stringify(value)
    if (typeof value === 'bigint') return toText(value) + 'n'
    if (typeof value === 'symbol') return toText(value)
    if (typeof value === 'function') return '[Function ' + (value.name || 'anonymous') + ']'
    if (typeof value !== 'object') return toText(value)
    if (above.includes(value)) return '[Circular]'
    if (value instanceof Error) return toText(value.name) + ': ' + toText(value.message)
    if (value instanceof Date || value instanceof RegExp) return toText(value)
    if (value instanceof Promise) return '[Promise: await it]'
    if (depth >= MAX_DEPTH) return isArray(value) ? '[…]' : '{…}'
    const inner = [...above, value]
    const list = (items, one) => {
      const shown = items.slice(0, MAX_ITEMS).map(one)
      return (items.length > MAX_ITEMS ? [...shown, '… ' + (items.length - MAX_ITEMS) + ' more'] : shown).join(',')
    }
    if (isArray(value)) return '[' + list(value, (item) => inspect(item, depth + 1, inner)) + ']'
    if (value instanceof Set) return 'Set[' + list([...value], (item) => inspect(item, depth + 1, inner)) + ']'
    if (value instanceof Map)
      return 'Map{' + list([...value], ([k, v]) => inspect(k, depth + 1, inner) + ':' + inspect(v, depth + 1, inner)) + '}'
    if (ArrayBuffer.isView(value)) return value.constructor.name + '(' + value.byteLength + ' bytes)'
    return '{' + list(keys(value), (key) => stringify(key) + ':' + inspect(value[key], depth + 1, inner)) + '}'
  }

  const define = (name, value) =>
    defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false })
  const print = (...values) => emit('text', values.map(show).join(' '))
  define('console', { log: print, info: print, warn: print, error: print, debug: print })
  define('text', (value) => emit('text', show(value)))

  /** Accepts Base64 with its media type, or what a tool returned for an image. */
  define('image', (source, mediaType) => {
    const from = typeof source === 'object' && source !== null ? (source.image ?? source) : { base64: source, mediaType }
    const base64 = from.base64 ?? from.data
    const type = from.mediaType ?? from.mimeType ?? from.media_type
    if (typeof base64 !== 'string' || typeof type !== 'string')
      throw new TypeError('image() needs Base64 and a media type, as in image(base64, "image/png"), or the result of a tool.')
    emit('image', { base64, mediaType: type })
  })

  let stored = create(null)
  define('store', (key, value) => {
    const json = stringify(value)
    if (typeof key !== 'string') throw new TypeError('The key must be a string.')
    if (json === undefined) delete stored[key]
    else stored[key] = json
    emit('store', { key, json: json === undefined ? null : json })
  })
  define('load', (key) => (stored[key] === undefined ? undefined : parse(stored[key])))

  let names = []
  const functions = create(null)
  /** Options are for hosts that know them. */
  const callTool = (name, input, options) => {
    if (input !== undefined && (typeof input !== 'object' || input === null || isArray(input)))
      return Promise.reject(new TypeError('tools.' + name + ' takes one object, as in tools.' + name + '({ … }).'))
    return host('call', { name, input: input === undefined ? {} : input, options })
  }
  const helpers = freeze({
    __proto__: null,
    list: () => host('list', null),
    search: (query, limit) => host('search', { query: toText(query), limit }),
    describe: (name) => host('describe', { name: toText(name) }),
    call: (name, input, options) => callTool(toText(name), input, options),
  })
  const tools = new Proxy(freeze(create(null)), {
    get(_target, name) {
      // A thenable would be called when the object is awaited.
      if (typeof name !== 'string' || name === 'then') return undefined
      if (name in helpers) return helpers[name]
      functions[name] ??= (input, options) => callTool(name, input, options)
      return functions[name]
    },
    has: (_target, name) => names.includes(name),
    ownKeys: () => names,
    getOwnPropertyDescriptor: (_target, name) => undefined,
  })
  define('tools', tools)

  return {
    setup(values) {
      names = values.tools
      for (const key of keys(values.stored)) stored[key] = values.stored[key]
    },
    format: (value) => (value === undefined ? null : show(value)),
  }
}
`
