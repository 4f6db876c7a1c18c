import { ThrownInside, Vm } from './vm.mjs'

/**
 * @typedef {import('../protocol.js').FromParent} FromParent
 * @typedef {import('../protocol.js').ToParent} ToParent
 * @typedef {import('../../../contract/ports/interpreter.js').CodeLimits} CodeLimits
 * @typedef {import('quickjs-emscripten-core').QuickJSHandle} Handle
 * @typedef {import('quickjs-emscripten-core').QuickJSDeferredPromise} Deferred
 */

/** A script with top-level await, whose promise resolves with `{ value }`. The library has no name for this flag. */
const ASYNC_SCRIPT = 1 << 7
const MAX_TIMERS = 1_000
/** How many jobs are run after the end of a run, so that its code does not continue in the next one. */
const MAX_REMAINING_JOBS = 10_000
const MAX_SETTLE_MS = 50
const JOBS_PER_ROUND = 1_000

/** The interpreter of one session, and the run that is in progress. */
export class Session {
  #send
  #flush
  /** @type {Vm | undefined} */ #vm
  /** @type {Run | undefined} */ #run
  #handledSeq = 0

  /** @param {{ send: (message: ToParent) => void, flush: () => void }} output */
  constructor({ send, flush }) {
    this.#send = send
    this.#flush = flush
  }

  /**
   * @param {FromParent} message
   * @param {string} json the text of a reply
   */
  async handle(message, json) {
    this.#handledSeq = message.seq
    if (message.type === 'run') await this.#start(message)
    else if (message.type === 'reply') this.#run?.receiveReply(message, json)
    else this.#run?.cancel()
  }

  /** Reports once for several messages that arrived together. */
  reportIdle() {
    this.#send({ type: 'idle', seq: this.#handledSeq, usedMs: this.#run?.usedMs ?? 0 })
  }

  /** @param {Extract<FromParent, { type: 'run' }>} message */
  async #start(message) {
    const run = new Run(message, {
      send: this.#send,
      onEnd: (hasRemainingJobs) => {
        this.#run = undefined
        if (hasRemainingJobs) this.#vm = undefined
      },
    })
    this.#run = run
    try {
      this.#vm ??= await Vm.create(this.#host, {
        prelude: message.prelude,
        memoryBytes: message.limits.memoryBytes,
        shouldInterrupt: () => {
          this.#flush()
          return this.#run?.isOverTime() ?? true
        },
      })
      this.#send({ type: 'busy' })
      run.start(this.#vm)
    } catch (error) {
      // The interpreter itself has failed, and nothing in it can be trusted.
      this.#vm = undefined
      this.#run = undefined
      const message = error instanceof Error ? error.message : String(error)
      this.#send({ type: 'end', end: { type: 'crashed', message }, unawaitedCalls: 0, droppedChars: 0 })
    }
  }

  /** The functions that code can call. They act on the current run. */
  #host = {
    call: (/** @type {string} */ name, /** @type {string} */ json) => this.#current.call(name, json),
    emit: (/** @type {string} */ name, /** @type {string} */ json) => this.#current.emit(name, json),
    startTimer: (/** @type {number} */ id, /** @type {number} */ ms) => this.#current.startTimer(id, ms),
    stopTimer: (/** @type {number} */ id) => this.#run?.stopTimer(id),
  }

  get #current() {
    if (this.#run === undefined) throw new Error('The code has ended.')
    return this.#run
  }
}

/** The parent parses an input and an error at once. */
const MAX_CALL_CHARS = 4 * 1024 ** 2
const MAX_ERROR_CHARS = 100_000

/**
 * Shortens JSON text of a string. Other values have no shorter form.
 * @param {string} json
 * @param {number} maxChars
 */
function shortenText(json, maxChars) {
  try {
    const value = JSON.parse(json)
    return typeof value === 'string' ? JSON.stringify(value.slice(0, maxChars)) : 'null'
  } catch {
    // Code can change the function that formats its value.
    return 'null'
  }
}

/**
 * @template {Record<string, string>} T
 * @param {T} texts
 */
function cutTexts(texts) {
  const entries = Object.entries(texts).map(([name, text]) => [name, text.slice(0, MAX_ERROR_CHARS)])
  return /** @type {T} */ (Object.fromEntries(entries))
}

/** One run of code. It ends once: by its value, an error, a limit, or because it was cancelled. */
class Run {
  /** @type {Map<number, Deferred>} */ #pendingCalls = new Map()
  /** @type {Map<number, NodeJS.Timeout>} */ #timers = new Map()
  /** @type {NodeJS.Timeout | undefined} */ #timerLimit
  /** @type {Handle | undefined} */ #main
  /** @type {Vm | undefined} */ #vm
  /** @type {ToParent & { type: 'end' } | undefined} */ #end
  #enteredMs = 0
  #usedMs = 0
  #timerMs = 0
  /** @type {number | undefined} */ #waitsSinceMs
  #settleUntilMs = 0
  #unawaitedCalls = 0
  #callCount = 0
  #callChars = 0
  #emittedChars = 0
  #droppedChars = 0
  #isOverTime = false
  #message
  #options

  /**
   * @param {Extract<FromParent, { type: 'run' }>} message
   * @param {{ send: (message: ToParent) => void, onEnd: (hasRemainingJobs: boolean) => void }} options
   */
  constructor(message, options) {
    this.#message = message
    this.#options = options
  }

  get usedMs() {
    return this.#usedMs
  }

  /** Whether the time of the run is up. Called by the interpreter every few thousand instructions. */
  isOverTime() {
    if (this.#vm === undefined) return false
    if (this.#end !== undefined) return performance.now() > this.#settleUntilMs
    if (this.#usedMs + performance.now() - this.#enteredMs > this.#message.limits.runMs) this.#isOverTime = true
    return this.#isOverTime
  }

  /** @param {Vm} vm */
  start(vm) {
    this.#vm = vm
    this.#enter(() => {
      vm.setUp(this.#message.setup)
      this.#main = vm.settle(this.#evaluate(vm))
    })
  }

  /** @param {Vm} vm */
  #evaluate(vm) {
    const { script, wrapper } = this.#message
    const result = vm.context.evalCode(script, 'code.js', ASYNC_SCRIPT)
    if (result.error === undefined) return result.value
    const { name, message } = vm.describe(result.error)
    if (name !== 'SyntaxError' || !message.startsWith('return not in a function')) throw new ThrownInside(result.error)
    return vm.unwrap(vm.context.evalCode(wrapper, 'code.js', ASYNC_SCRIPT))
  }

  /**
   * @param {Extract<FromParent, { type: 'reply' }>} reply
   * @param {string} json
   */
  receiveReply({ call, result }, json) {
    const deferred = this.#pendingCalls.get(call)
    const vm = this.#vm
    if (deferred === undefined || vm === undefined) return
    this.#pendingCalls.delete(call)
    this.#enter(() => {
      if ('isJson' in result) vm.context.newString(json).consume((text) => deferred.resolve(text))
      else vm.createError(result).consume((error) => deferred.reject(error))
      deferred.dispose()
    })
  }

  cancel() {
    this.#finish({ type: 'cancelled' })
  }

  /**
   * @param {string} name
   * @param {string} json
   */
  call(name, json) {
    const { maxCalls, callChars } = this.#message.limits
    if (this.#end !== undefined || this.#vm === undefined) throw new Error('The code has ended.')
    if (this.#isMainSettled) throw new Error('The code has ended. Await every call.')
    this.#callCount++
    this.#callChars += name.length + json.length
    if (this.#callCount > maxCalls) throw new Error(`The code may make at most ${maxCalls} calls at a time.`)
    if (json.length > MAX_CALL_CHARS) throw new Error(`The input of a call has more than ${MAX_CALL_CHARS} characters.`)
    if (this.#callChars > callChars) throw new Error(`The inputs of all calls have more than ${callChars} characters.`)
    const deferred = this.#vm.context.newPromise()
    this.#pendingCalls.set(this.#callCount, deferred)
    this.#options.send({ type: 'call', call: this.#callCount, name, json })
    return deferred
  }

  /**
   * @param {string} name
   * @param {string} json
   */
  emit(name, json) {
    if (this.#end !== undefined) return
    this.#emittedChars += name.length + json.length
    if (this.#emittedChars > this.#message.limits.emitChars) this.#droppedChars += json.length
    else this.#options.send({ type: 'emit', name, json })
  }

  /**
   * @param {number} id
   * @param {number} ms
   */
  startTimer(id, ms) {
    if (this.#end !== undefined) throw new Error('The code has ended.')
    if (this.#timers.size >= MAX_TIMERS) throw new Error(`At most ${MAX_TIMERS} timers can be active.`)
    const fire = () => {
      this.#timers.delete(id)
      this.#options.send({ type: 'busy' })
      this.#enter(() => this.#vm?.fireTimer(id))
      if (this.#end === undefined) this.#options.send({ type: 'idle', usedMs: this.#usedMs })
    }
    this.#timers.set(id, setTimeout(fire, Math.min(ms, this.#message.limits.timerMs)))
  }

  /** @param {number} id */
  stopTimer(id) {
    clearTimeout(this.#timers.get(id))
    this.#timers.delete(id)
  }

  /**
   * Runs code in the interpreter, and all jobs that it causes, until the code waits for something.
   * @param {() => void} work
   */
  #enter(work) {
    if (this.#end !== undefined) return
    clearTimeout(this.#timerLimit)
    this.#enteredMs = performance.now()
    if (this.#waitsSinceMs !== undefined) this.#timerMs += this.#enteredMs - this.#waitsSinceMs
    this.#waitsSinceMs = undefined
    try {
      work()
      this.#runJobs()
    } catch (error) {
      if (!(error instanceof ThrownInside)) throw error
      this.#finishThrown(error.handle)
    } finally {
      this.#usedMs += performance.now() - this.#enteredMs
    }
    if (this.#end === undefined && this.#isOverTime) this.#finish({ type: 'limit', limit: 'time' })
    if (this.#end === undefined) this.#finishIfSettled()
  }

  #runJobs() {
    const { runtime } = /** @type {Vm} */ (this.#vm)
    while (runtime.hasPendingJob() && !this.isOverTime()) {
      const result = runtime.executePendingJobs(JOBS_PER_ROUND)
      // A job only throws if it was interrupted, or has no memory left to reject its promise.
      if (result.error !== undefined) throw new ThrownInside(result.error)
    }
  }

  get #isMainSettled() {
    if (this.#main === undefined || this.#vm === undefined) return false
    const state = this.#vm.context.getPromiseState(this.#main)
    if (state.type === 'fulfilled') state.value.dispose()
    else if (state.type === 'rejected') state.error.dispose()
    return state.type !== 'pending'
  }

  /** Ends the run if its promise has settled and no call is pending, or if nothing can settle it. */
  #finishIfSettled() {
    const vm = /** @type {Vm} */ (this.#vm)
    if (this.#main === undefined || this.#pendingCalls.size > 0) {
      if (this.#isMainSettled) this.#unawaitedCalls = Math.max(this.#unawaitedCalls, this.#pendingCalls.size)
      return
    }
    const state = vm.context.getPromiseState(this.#main)
    if (state.type === 'rejected') this.#finishThrown(state.error)
    else if (state.type === 'fulfilled') this.#finishWithValue(state.value)
    else if (this.#timers.size === 0) this.#finish({ type: 'stuck' })
    else this.#waitForTimers()
  }

  /** Limits the time in which the code waits only for timers. */
  #waitForTimers() {
    this.#waitsSinceMs = performance.now()
    const end = () => this.#finish({ type: 'limit', limit: 'timers' })
    this.#timerLimit = setTimeout(end, Math.max(0, this.#message.limits.timerMs - this.#timerMs))
  }

  /** @param {Handle} value */
  #finishWithValue(value) {
    const vm = /** @type {Vm} */ (this.#vm)
    this.#enteredMs = performance.now()
    try {
      this.#finish({ type: 'value', json: this.#limitValue(vm.format(value)) })
    } catch (error) {
      if (!(error instanceof ThrownInside)) throw error
      this.#finishThrown(error.handle)
    } finally {
      this.#usedMs += performance.now() - this.#enteredMs
    }
  }

  /**
   * The value counts as output.
   * @param {string} json
   */
  #limitValue(json) {
    const room = Math.max(0, this.#message.limits.emitChars - this.#emittedChars)
    if (json.length <= room) return json
    this.#droppedChars += json.length - room
    return shortenText(json, room)
  }

  /** @param {Handle} error */
  #finishThrown(error) {
    const { name, message, code, stack } = /** @type {Vm} */ (this.#vm).describe(error)
    if (this.#isOverTime) this.#finish({ type: 'limit', limit: 'time' })
    else if (name === 'InternalError' && message === 'out of memory') this.#finish({ type: 'limit', limit: 'memory' })
    else
      this.#finish({
        type: 'thrown',
        ...cutTexts({ name, message, stack, ...(code !== undefined && code !== '' && { code }) }),
      })
  }

  /** @param {import('../protocol.js').RunEnd} end */
  #finish(end) {
    if (this.#end !== undefined) return
    this.#end = { type: 'end', end, unawaitedCalls: this.#unawaitedCalls, droppedChars: this.#droppedChars }
    clearTimeout(this.#timerLimit)
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#timers.clear()
    this.#settleUntilMs = performance.now() + MAX_SETTLE_MS
    const hasRemainingJobs = !this.#settleAll()
    this.#options.onEnd(hasRemainingJobs)
    this.#options.send({ ...this.#end, ...(hasRemainingJobs && { isStateLost: true }) })
  }

  /**
   * Rejects the pending calls and runs the jobs that follow for a short time, so that nothing of this run is left in the next
   * one. Returns false if jobs remain.
   */
  #settleAll() {
    const vm = this.#vm
    if (vm === undefined) return false
    try {
      for (const deferred of this.#pendingCalls.values()) {
        vm.createError({ code: 'cancelled', message: 'The code has ended.' }).consume((error) => deferred.reject(error))
        deferred.dispose()
      }
      vm.clearTimers()
    } catch {
      // The interpreter is out of memory, or it interrupts these jobs, too.
      return false
    }
    for (let count = 0; count < MAX_REMAINING_JOBS && vm.runtime.hasPendingJob(); count++) {
      const result = vm.runtime.executePendingJobs(1)
      result.error?.dispose()
    }
    return !vm.runtime.hasPendingJob()
  }
}
