import { PRELUDE } from '../code/prelude.js'

/**
 * Prepares the interpreter of a workflow. A script must do the same again when its run is resumed, so the clock stands still,
 * random numbers come from a seed, and there are no timers.
 */
export const WORKFLOW_PRELUDE = `
(host, emit) => {
  const base = (${PRELUDE})(host, emit)
  const { isArray } = Array
  const { defineProperty } = Object
  const { construct } = Reflect
  const { imul } = Math
  const allSettled = Promise.allSettled.bind(Promise)
  const toText = String
  const { tools } = globalThis
  const define = (name, value) =>
    defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false })
  for (const name of ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval', 'performance', 'store', 'load', 'image'])
    delete globalThis[name]

  let time = 0
  const RealDate = Date
  function FixedDate(...args) {
    if (new.target === undefined) return new RealDate(time).toString()
    return construct(RealDate, args.length === 0 ? [time] : args, new.target)
  }
  FixedDate.prototype = RealDate.prototype
  FixedDate.prototype.constructor = FixedDate
  FixedDate.now = () => time
  FixedDate.parse = RealDate.parse
  FixedDate.UTC = RealDate.UTC
  define('Date', FixedDate)

  let seed = 0
  Math.random = () => {
    seed = (seed + 0x6d2b79f5) | 0
    let bits = imul(seed ^ (seed >>> 15), 1 | seed)
    bits = (bits + imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits
    return ((bits ^ (bits >>> 14)) >>> 0) / 4294967296
  }

  define('agent', async (prompt, options) => {
    if (typeof prompt !== 'string') throw new TypeError('agent() takes a prompt, as in agent("…", { label: "review" }).')
    const { label, ifUnknown, agentType, ...input } = options ?? {}
    if (agentType !== undefined) input.subagent_type = agentType
    const description = label === undefined ? prompt.slice(0, 60) : toText(label)
    const { text } = await tools.Agent({ description, ...input, prompt }, { name: label, ifUnknown })
    return text
  })

  /** Waits for all branches, so that none is cut off by the failure of another. */
  const runAll = async (branches) => {
    const outcomes = await allSettled(branches.map(async (branch) => branch()))
    const failure = outcomes.find(({ status }) => status === 'rejected')
    if (failure !== undefined) throw failure.reason
    return outcomes.map(({ value }) => value)
  }
  define('parallel', async (branches) => {
    if (!isArray(branches) || branches.some((branch) => typeof branch !== 'function'))
      throw new TypeError('parallel() takes a list of functions, as in parallel([() => agent("…"), () => agent("…")]).')
    return runAll(branches)
  })
  define('pipeline', async (items, ...stages) => {
    if (!isArray(items) || stages.some((stage) => typeof stage !== 'function'))
      throw new TypeError('pipeline() takes a list and functions, as in pipeline(files, (file) => agent("…" + file)).')
    return runAll(
      items.map((item, index) => async () => {
        let value = item
        for (const stage of stages) value = await stage(value, item, index)
        return value
      }),
    )
  })
  define('phase', (title) => emit('phase', toText(title)))
  const { log } = globalThis.console
  define('log', log)

  return {
    setup(values) {
      time = values.at
      seed = values.seed | 0
      base.setup({ tools: [], stored: {} })
    },
    format: base.format,
  }
}
`
