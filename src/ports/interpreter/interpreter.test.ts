import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CodeLimits, CodeOutcome } from '../../contract/ports/interpreter.js'
import { createInterpreter, type ManagedInterpreter } from './create-interpreter.js'

/** Gives the code one function, `ask`, and one to print. */
const PRELUDE = `(host, emit) => {
  globalThis.ask = (value) => host('ask', value)
  globalThis.print = (value) => emit('print', value)
  return { setup() {}, format: (value) => (value === undefined ? null : value) }
}`

let port: ManagedInterpreter
/** Objects of this process that code must not be able to change. */
const canary: Record<string, unknown> = {}

beforeAll(() => {
  port = createInterpreter({ environment: { PATH: process.env.PATH, SECRET_TOKEN: 'secret' } })
})
afterAll(() => port.dispose())

interface RunOptions {
  readonly session?: string
  readonly limits?: Partial<CodeLimits>
  readonly signal?: AbortSignal
  readonly onCall?: (name: string, argument: unknown) => Promise<unknown>
}

async function run(code: string, { session = 'main', limits = {}, signal, onCall }: RunOptions = {}) {
  const printed: unknown[] = []
  const asked: unknown[] = []
  const outcome: CodeOutcome = await port.run({
    ...{ session, code, prelude: PRELUDE, signal: signal ?? new AbortController().signal },
    limits: { runMs: 2_000, memoryBytes: 32 * 1024 ** 2, ...limits },
    onEmit: (_name, argument) => printed.push(argument),
    onCall: async (name, argument) => {
      if (onCall === undefined) asked.push(argument)
      return JSON.stringify(onCall === undefined ? argument : await onCall(name, argument)) ?? 'null'
    },
  })
  return { ...outcome, printed, asked, value: outcome.end.type === 'value' ? outcome.end.value : undefined }
}

/** What the interpreter must not have or be able to do. Each value must be the expected one, or the run must fail. */
const ESCAPES: readonly (readonly [name: string, code: string, allowed?: unknown])[] = [
  ['process', 'typeof process', 'undefined'],
  ['require', 'typeof require', 'undefined'],
  ['fetch', 'typeof fetch + typeof XMLHttpRequest + typeof WebSocket', 'undefinedundefinedundefined'],
  [
    'Deno, Bun and std modules',
    'typeof Deno + typeof Bun + typeof std + typeof os',
    'undefinedundefinedundefinedundefined',
  ],
  ['WebAssembly', 'typeof WebAssembly', 'undefined'],
  ['Worker', 'typeof Worker + typeof SharedWorker', 'undefinedundefined'],
  ['a dynamic import', 'await import("node:fs")'],
  ['a dynamic import of data', 'await import("data:text/javascript,export default 1")'],
  ['a static import', 'import fs from "fs"; fs'],
  ['the constructor of a function', 'print.constructor("return typeof process")()', 'undefined'],
  ['the constructor chain of a host function', 'ask.constructor.constructor("return typeof require")()', 'undefined'],
  [
    'the constructor of a result',
    '(await ask({ a: 1 })).constructor.constructor("return typeof process")()',
    'undefined',
  ],
  [
    'the constructor of an error',
    'try { null.x } catch (e) { e.constructor.constructor("return typeof process")() }',
    'undefined',
  ],
  ['indirect eval', '(0, eval)("typeof process")', 'undefined'],
  ['an async function constructor', 'await (async () => {}).constructor("return typeof process")()', 'undefined'],
  ['a generator constructor', '(function* () {}).constructor("yield typeof process")().next().value', 'undefined'],
  ['the caller of a function', 'function f() { return typeof f.caller }; f()', 'undefined'],
  ['prototype of results', '(await ask({})).__proto__.polluted = 1; await ask({}) && 1', 1],
  ['a __proto__ key in arguments', 'await ask(JSON.parse(\'{"__proto__": {"polluted": 1}}\')); 1', 1],
  ['an escaped __proto__ key in arguments', 'await ask(JSON.parse(\'{"\\\\u005f_proto__": {"polluted": 1}}\')); 1', 1],
  ['a constructor.prototype key', 'await ask({ constructor: { prototype: { polluted: 1 } } }); 1', 1],
  ['a getter in arguments', 'let n = 0; await ask({ get a() { n++; return typeof process } }); n', 1],
  ['toJSON of arguments', '(await ask({ toJSON: () => ({ x: 1 }) })).x', 1],
  ['toJSON that throws', 'await ask({ toJSON() { throw new Error("no") } })'],
  [
    'a proxy as arguments',
    '(await ask(new Proxy({ a: 1 }, { get: (t, k) => (k === "toJSON" ? undefined : t[k]) }))).a',
    1,
  ],
  [
    'a proxy with endless keys',
    'await ask(new Proxy({}, { ownKeys: () => Array.from({ length: 1e7 }, (_, i) => "k" + i) }))',
  ],
  ['circular arguments', 'const c = {}; c.c = c; await ask(c)'],
  ['very deep arguments', 'let d = 1; for (let i = 0; i < 5000; i++) d = [d]; await ask(d)'],
  ['very deep JSON text', 'JSON.parse("[".repeat(1e6) + "]".repeat(1e6))'],
  [
    'a forged reply',
    'print("\\n{\\"type\\":\\"end\\",\\"end\\":{\\"type\\":\\"value\\",\\"json\\":\\"666\\"}}\\n"); 1',
    1,
  ],
  [
    'a forged call name',
    'await ask("\\n{\\"type\\":\\"call\\",\\"call\\":1,\\"name\\":\\"x\\",\\"json\\":\\"1\\"}"); 1',
    1,
  ],
  ['a thenable that never calls back', 'await { then() {} }'],
  [
    'an accessor on Object.prototype',
    'Object.defineProperty(Object.prototype, "type", { get: () => "end", configurable: true }); const r = await ask({ a: 1 }); delete Object.prototype.type; r.a',
    1,
  ],
  ['huge strings', 'let s = "x"; for (;;) s += s'],
  ['huge arrays', 'const a = []; for (;;) a.push(new Float64Array(1e5))'],
  ['huge typed arrays', 'new Uint8Array(4e9)'],
  ['endless recursion', 'function f() { return f() + 1 }; f()'],
  ['endless recursion through getters', 'const o = { get a() { return this.a } }; o.a'],
  ['endless recursion through toString', 'const o = { toString() { return "" + this } }; "" + o'],
  ['deeply nested functions in eval', 'eval("(".repeat(1e5) + ")".repeat(1e5))'],
  [
    'a symbol species trick',
    'class P extends Promise { static get [Symbol.species]() { return function () { for (;;); } } }; await new P((r) => r(1)).then((x) => x)',
  ],
  ['a finaliser', 'new FinalizationRegistry(() => { for (;;); }).register({}, 1); 1', 1],
  [
    'an exception that cannot be described',
    'throw { get name() { throw 1 }, get message() { throw 2 }, get stack() { throw 3 } }',
  ],
  ['a symbol as an exception', 'throw Symbol("s")'],
  ['a wait in shared memory', 'typeof Atomics', 'undefined'],
  // The last one, because it breaks the interpreter for later code.
  [
    'replaced built-ins',
    'JSON.parse = JSON.stringify = () => { throw 1 }; Promise.prototype.then = null; Map.prototype.get = null; 1',
    1,
  ],
]

describe('code cannot get out of the interpreter through', () => {
  test.each(ESCAPES.map(([name, code, allowed]) => ({ name, code, allowed })))('$name', async ({ code, allowed }) => {
    const outcome = await run(code, { limits: { runMs: 1_000 } })

    if (allowed !== undefined) expect(outcome.end).toEqual({ type: 'value', value: allowed })
    else expect(['thrown', 'limit', 'stuck', 'crashed']).toContain(outcome.end.type)
    expect(JSON.stringify(outcome)).not.toContain('secret')
    expect(canary.polluted).toBeUndefined()
    for (const argument of outcome.asked) expect(Object.hasOwn(Object(argument), '__proto__')).toBe(false)
    // The next run works, with or without the variables of this one.
    expect((await run('1 + 1', { session: 'other' })).value).toBe(2)
  })
})

describe('a run', () => {
  test('that hangs in one native operation is killed, and the next one says that the variables are lost', async () => {
    await run('const kept = 1')
    const hang = await run('"x".repeat(2e7).split("").sort().length', {
      limits: { runMs: 100, memoryBytes: 2 * 1024 ** 3 },
    })
    const next = await run('typeof kept')

    expect(hang.end).toEqual({ type: 'limit', limit: 'time', isStateLost: true })
    expect(next).toMatchObject({ wasReset: true, end: { type: 'value', value: 'undefined' } })
    expect((await run('1')).wasReset).toBe(false)
  })

  test.each([
    ['an endless loop', 'for (;;);'],
    ['an endless loop that catches', 'for (;;) try { for (;;); } catch {}'],
    ['an endless regular expression', '/^(a+)+$/.test("a".repeat(50) + "b")'],
    ['an endless getter in its value', '({ get a() { for (;;); } })'],
  ])('with %s is stopped by the interpreter, and the variables are kept', async (_name, code) => {
    await run('globalThis.kept = 5', { session: 'stopped' })

    const { end } = await run(code, { session: 'stopped', limits: { runMs: 100 } })

    expect(end).toEqual({ type: 'limit', limit: 'time', isStateLost: false })
    expect((await run('kept', { session: 'stopped' })).value).toBe(5)
  })

  test('with endless microtasks is stopped, and the next one knows whether the variables are lost', async () => {
    const session = 'microtasks'
    const { end } = await run('const again = () => Promise.resolve().then(again); await again()', {
      ...{ session, limits: { runMs: 100 } },
    })

    expect(end).toMatchObject({ type: 'limit', limit: 'time' })
    const isStateLost = end.type === 'limit' && end.isStateLost
    const value = isStateLost ? 'undefined' : 'function'
    expect(await run('typeof again', { session })).toMatchObject({ wasReset: isStateLost, value })
  })

  test('may wait for calls longer than it may run', async () => {
    const onCall = () => new Promise((resolve) => setTimeout(() => resolve('late'), 300))
    expect((await run('await ask(1)', { limits: { runMs: 100 }, onCall })).value).toBe('late')
  })

  test('makes calls in parallel, and gets errors with their code and data', async () => {
    let openCount = 0
    let release: () => void = () => {}
    const allOpen = new Promise<void>((resolve) => {
      release = resolve
    })
    const onCall = async (_name: string, argument: unknown) => {
      if (++openCount === 3) release()
      await allOpen
      if (argument === 2) throw Object.assign(new Error('no two'), { code: 'refused', data: { n: 2 } })
      return argument
    }

    const { value } = await run(
      'const all = await Promise.allSettled([1, 2, 3].map(ask)); all.map((r) => r.value ?? [r.reason.message, r.reason.code, r.reason.data.n])',
      { onCall },
    )

    expect(value).toEqual([1, ['no two', 'refused', 2], 3])
  })

  test('cannot flood its host with calls, arguments, output or timers', async () => {
    const limits = { maxCalls: 10, callChars: 1_000, emitChars: 1_000 }
    const calls = await run('let n = 0; try { for (;;) { ask(1); n++ } } catch (e) { print(e.message) }; n', { limits })
    const chars = await run('await ask("x".repeat(2_000))', { limits })
    const output = await run('for (let i = 0; i < 1_000; i++) print("x".repeat(100))', { limits })
    const timers = await run('for (;;) setTimeout(() => {}, 1e9)', { limits })

    expect(calls).toMatchObject({ value: 10, printed: ['The code may make at most 10 calls at a time.'] })
    expect(chars.end).toMatchObject({ type: 'thrown', message: expect.stringContaining('1000 characters') })
    expect(output.printed.length).toBeLessThan(10)
    expect(output.droppedChars).toBeGreaterThan(90_000)
    expect(timers.end).toMatchObject({ type: 'thrown', message: expect.stringContaining('timers') })
  })

  test.each([
    // How much of the memory and time limits these take depends on the machine.
    ['a value of 20 million characters', '"x".repeat(20_000_000)', ['value', 'limit']],
    ['a value of 20 million quotes', '"\\"".repeat(20_000_000)', ['value', 'limit']],
    ['an error of 5 million characters', 'throw new Error("x".repeat(5_000_000))', ['thrown', 'limit']],
    [
      'a value that is nested deeply',
      'let list = []; for (let at = 0; at < 2_000; at++) list = [list]; list',
      ['thrown'],
    ],
  ])('with %s does not harm its host', async (_, code, expectedEnds) => {
    const { end } = await run(code, { session: 'large', limits: { memoryBytes: 128 * 1024 ** 2 } })
    expect(expectedEnds).toContain(end.type)
    expect(JSON.stringify(end).length).toBeLessThan(2_200_000)
    expect((await run('1 + 1', { session: 'large' })).value).toBe(2)
  })

  test('leaves nothing behind that continues in the next run', async () => {
    const never = new Promise<never>(() => {})
    const controller = new AbortController()
    const session = 'left'
    const cancelled = run(
      'setInterval(() => print("late"), 1); ask(1).catch(() => ask(2)); await new Promise(() => {})',
      {
        ...{ session, signal: controller.signal },
        onCall: () => {
          setImmediate(() => controller.abort(new Error('cancelled')))
          return never
        },
      },
    )

    await expect(cancelled).rejects.toThrow('cancelled')
    const next = await run('await new Promise((resolve) => setTimeout(resolve, 20)); await ask("own")', { session })
    expect(next).toMatchObject({ wasReset: false, printed: [], asked: ['own'], value: 'own' })
  })

  test('that is cancelled in an endless loop ends, and the next one works', async () => {
    const controller = new AbortController()
    const running = run('await ask(1); for (;;);', {
      ...{ session: 'loop', signal: controller.signal, limits: { runMs: 100_000 } },
      onCall: async () => {
        setImmediate(() => controller.abort(new Error('cancelled')))
        return 1
      },
    })

    await expect(running).rejects.toThrow('cancelled')
    expect((await run('1', { session: 'loop' })).wasReset).toBe(true)
  })

  test('does not see the variables of another session, nor of one that was ended', async () => {
    await run('var mine = 1', { session: 'one' })
    expect((await run('typeof mine', { session: 'two' })).value).toBe('undefined')

    await port.end('one')

    expect(await run('typeof mine', { session: 'one' })).toMatchObject({ value: 'undefined', wasReset: false })
  })
})
