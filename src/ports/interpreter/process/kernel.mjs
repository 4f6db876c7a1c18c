/**
 * The first code that runs in a new interpreter, before the prelude of the tool. It gets functions of this process that
 * take and return only strings and numbers, and builds everything else inside the interpreter: no object of this process
 * is ever visible to the code.
 */
export const KERNEL = `
(callHost, emitToHost, startTimer, stopTimer) => {
  const { parse, stringify } = JSON
  const { apply } = Reflect
  const then = Promise.prototype.then
  const toText = String
  const ErrorConstructor = Error
  const toJson = (value) => {
    const text = stringify(value)
    return text === undefined ? 'null' : text
  }
  const host = (name, argument) => apply(then, callHost(toText(name), toJson(argument)), [(text) => parse(text)])
  const emit = (name, argument) => emitToHost(toText(name), toJson(argument))

  const timers = new Map()
  let timerCount = 0
  const get = Map.prototype.get
  const set = Map.prototype.set
  const remove = Map.prototype.delete
  const addTimer = (callback, ms, args, isRepeated) => {
    if (typeof callback !== 'function') throw new TypeError('The first argument must be a function.')
    const delay = Number(ms) > 0 ? Number(ms) : 0
    const id = ++timerCount
    startTimer(id, delay)
    apply(set, timers, [id, { callback, args, delay, isRepeated }])
    return id
  }
  const define = (name, value) =>
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false })
  define('setTimeout', (callback, ms, ...args) => addTimer(callback, ms, args, false))
  define('setInterval', (callback, ms, ...args) => addTimer(callback, ms, args, true))
  const clear = (id) => {
    if (apply(remove, timers, [id])) stopTimer(id)
  }
  define('clearTimeout', clear)
  define('clearInterval', clear)

  return {
    /** Calls the prelude, which returns the functions { setup, format }. */
    open(prelude) {
      const { setup, format } = prelude(host, emit)
      return {
        setup: (text) => void setup(parse(text)),
        format: (value) => toJson(format(value)),
      }
    },
    /** The value of a script, which may be a promise itself. The promise of a script resolves with { value }. */
    settle: (script) => apply(then, script, [(result) => result.value]),
    fire(id) {
      const timer = apply(get, timers, [id])
      if (timer === undefined) return
      if (timer.isRepeated) startTimer(id, timer.delay)
      else apply(remove, timers, [id])
      apply(timer.callback, undefined, timer.args)
    },
    clearTimers: () => void timers.clear(),
    fail(code, message, data) {
      const error = new ErrorConstructor(message)
      if (code !== '') error.code = code
      if (data !== undefined) error.data = parse(data)
      return error
    },
    describe(error) {
      const read = (name) => {
        try {
          const value = error[name]
          return value === undefined ? '' : toText(value)
        } catch {
          return ''
        }
      }
      if (typeof error !== 'object' || error === null) {
        let text = ''
        try {
          text = toText(error)
        } catch {}
        return stringify({ name: '', message: text, stack: '' })
      }
      return stringify({ name: read('name'), message: read('message'), code: read('code'), stack: read('stack') })
    },
  }
}
`
