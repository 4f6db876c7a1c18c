import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import variant from '@jitl/quickjs-ng-wasmfile-release-sync'
import { newQuickJSWASMModuleFromVariant, newVariant } from 'quickjs-emscripten-core'
import { KERNEL } from './kernel.mjs'

/** The types of Node do not declare this global. */
const { WebAssembly } = /** @type {{ WebAssembly: { compile(bytes: Uint8Array): Promise<WebAssembly.Module> } }} */ (
  /** @type {unknown} */ (globalThis)
)
/** The declarations of the package describe its CommonJS form. */
const syncVariant = /** @type {import('quickjs-emscripten-core').QuickJSSyncVariant} */ (
  /** @type {unknown} */ (variant)
)

/**
 * @typedef {import('quickjs-emscripten-core').QuickJSHandle} Handle
 * @typedef {import('quickjs-emscripten-core').QuickJSContext} Context
 * @typedef {import('quickjs-emscripten-core').QuickJSRuntime} Runtime
 * @typedef {import('quickjs-emscripten-core').QuickJSDeferredPromise} Deferred
 */

const MAX_STACK_BYTES = 256 * 1024

/** The build places the file beside this script. */
const BUNDLED_WASM = new URL('./quickjs.wasm', import.meta.url)

/** Compiled once; every interpreter is a new instance with its own memory. */
const wasmModule = loadWasm()

async function loadWasm() {
  const path = existsSync(BUNDLED_WASM)
    ? fileURLToPath(BUNDLED_WASM)
    : fileURLToPath(import.meta.resolve('@jitl/quickjs-ng-wasmfile-release-sync/wasm'))
  return WebAssembly.compile(await readFile(path))
}

/**
 * The functions of the host that code in the interpreter can call. All arguments are strings and numbers.
 * @typedef {object} HostFunctions
 * @property {(name: string, json: string) => Deferred} call throws to refuse the call
 * @property {(name: string, json: string) => void} emit
 * @property {(id: number, ms: number) => void} startTimer throws to refuse the timer
 * @property {(id: number) => void} stopTimer
 */

/** One interpreter: its globals, and the functions of the kernel. */
export class Vm {
  /** @type {Runtime} */ runtime
  /** @type {Context} */ context
  /** @type {Record<'open' | 'settle' | 'fire' | 'clearTimers' | 'fail' | 'describe', Handle>} */ #kernel
  /** @type {Handle | undefined} */ #setup
  /** @type {Handle | undefined} */ #format

  /**
   * @param {Runtime} runtime
   * @param {HostFunctions} host
   */
  constructor(runtime, host) {
    this.runtime = runtime
    this.context = runtime.newContext()
    const { context } = this
    const text = (/** @type {Handle} */ handle) => context.getString(handle)
    const number = (/** @type {Handle} */ handle) => context.getNumber(handle)
    const create = this.unwrap(context.evalCode(KERNEL, 'kernel.js'))
    const kernel = this.call(
      create,
      context.newFunction('callHost', (name, json) => host.call(text(name), text(json)).handle),
      context.newFunction('emit', (name, json) => host.emit(text(name), text(json))),
      context.newFunction('startTimer', (id, ms) => host.startTimer(number(id), number(ms))),
      context.newFunction('stopTimer', (id) => host.stopTimer(number(id))),
    )
    const member = (/** @type {string} */ name) => context.getProp(kernel, name)
    this.#kernel = {
      open: member('open'),
      settle: member('settle'),
      fire: member('fire'),
      clearTimers: member('clearTimers'),
      fail: member('fail'),
      describe: member('describe'),
    }
  }

  /**
   * @param {HostFunctions} host
   * @param {{ memoryBytes: number, prelude: string, shouldInterrupt: () => boolean }} options
   */
  static async create(host, { memoryBytes, prelude, shouldInterrupt }) {
    const module = await newQuickJSWASMModuleFromVariant(newVariant(syncVariant, { wasmModule: await wasmModule }))
    const runtime = module.newRuntime()
    runtime.setMemoryLimit(memoryBytes)
    runtime.setMaxStackSize(MAX_STACK_BYTES)
    runtime.setInterruptHandler(shouldInterrupt)
    const vm = new Vm(runtime, host)
    const { context } = vm
    const session = vm.call(vm.#kernel.open, vm.unwrap(context.evalCode(prelude, 'prelude.js')))
    vm.#setup = context.getProp(session, 'setup')
    vm.#format = context.getProp(session, 'format')
    return vm
  }

  /** @param {string} json */
  setUp(json) {
    if (this.#setup !== undefined) this.#callWith(this.#setup, [this.context.newString(json)]).dispose()
  }

  /**
   * Returns the promise of the value of a script.
   * @param {Handle} script the promise that a script with top-level await returns
   */
  settle(script) {
    return this.#callWith(this.#kernel.settle, [script])
  }

  /**
   * Formats a value as JSON text.
   * @param {Handle} value
   */
  format(value) {
    if (this.#format === undefined) return 'null'
    return this.call(this.#format, value).consume((text) => this.context.getString(text))
  }

  /** @param {number} id */
  fireTimer(id) {
    this.#callWith(this.#kernel.fire, [this.context.newNumber(id)]).dispose()
  }

  clearTimers() {
    this.call(this.#kernel.clearTimers).dispose()
  }

  /** @param {{ code: string, message: string, data?: string | undefined }} failure */
  createError({ code, message, data }) {
    const { context } = this
    const dataHandle = data === undefined ? context.undefined : context.newString(data)
    return this.#callWith(this.#kernel.fail, [context.newString(code), context.newString(message), dataHandle])
  }

  /**
   * @param {Handle} error
   * @returns {{ name: string, message: string, code?: string, stack: string }}
   */
  describe(error) {
    try {
      return JSON.parse(this.call(this.#kernel.describe, error).consume((text) => this.context.getString(text)))
    } catch {
      // The interpreter has no memory or time left to describe the error.
      return { name: 'InternalError', message: 'out of memory', stack: '' }
    }
  }

  /**
   * @param {Handle} fn
   * @param {...Handle} args
   */
  call(fn, ...args) {
    return this.unwrap(this.context.callFunction(fn, this.context.undefined, ...args))
  }

  /**
   * Calls a function and frees the arguments.
   * @param {Handle} fn
   * @param {readonly Handle[]} args
   */
  #callWith(fn, args) {
    try {
      return this.call(fn, ...args)
    } finally {
      for (const arg of args) if (arg !== this.context.undefined) arg.dispose()
    }
  }

  /** @param {import('quickjs-emscripten-core').VmCallResult<Handle>} result */
  unwrap(result) {
    if (result.error !== undefined) throw new ThrownInside(result.error)
    return result.value
  }
}

/** An error that the code in the interpreter has thrown. */
export class ThrownInside extends Error {
  /** @param {Handle} handle */
  constructor(handle) {
    super('thrown inside the interpreter')
    this.handle = handle
  }
}
