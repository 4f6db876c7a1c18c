// The model of the ledger: plays the turns of a task and writes every request to a file.
// Loaded by `haft --model scripted:player.mjs`, with the variables of `play-task.mjs`.
import { appendFileSync } from 'node:fs'
import { REPOSITORY } from './calls.mjs'

const { ECONOMY_TASK, ECONOMY_REQUESTS, ECONOMY_CARRIER } = process.env
if (ECONOMY_TASK === undefined || ECONOMY_REQUESTS === undefined)
  throw new Error('ECONOMY_TASK and ECONOMY_REQUESTS must be set. Run node bench/economy.mjs.')
/** @type {import('./calls.mjs').EconomyTask} */
const task = (await import(ECONOMY_TASK)).default
const repository = process.cwd()
/** More than any task has, with the turns that load tools. */
const MAX_TURNS = 120

export const script = {
  facts: { supportsDeferLoading: ECONOMY_CARRIER === 'native', contextWindow: 200_000 },
  turns: createTurns(task.turns, task.answer),
  conversations: (task.agents ?? []).map(({ opening, turns }) => ({
    opening,
    turns: createTurns(turns, 'Found them.'),
  })),
}

/** @param {import('./calls.mjs').EconomyTask['turns']} turns @param {string} answer */
function createTurns(turns, answer) {
  const remaining = [...turns]
  /** @type {Set<string>} */
  const loaded = new Set()
  const next = (/** @type {any} */ request) => {
    appendFileSync(String(ECONOMY_REQUESTS), `${JSON.stringify(request)}\n`)
    const [calls] = remaining
    if (calls === undefined) return answer
    const missing = calls.map(({ name }) => name).filter((name) => !loaded.has(name) && !isSent(request, name))
    if (missing.length > 0) {
      for (const name of missing) loaded.add(name)
      return { calls: [{ name: 'ToolSearch', input: { query: `select:${[...new Set(missing)].join(',')}` } }] }
    }
    remaining.shift()
    return {
      calls: calls.map(({ name, input }) => ({
        name,
        input: fill(typeof input === 'function' ? input(readResults(request)) : input),
      })),
    }
  }
  return Array.from({ length: MAX_TURNS }, () => next)
}

/** Whether the model can call a tool at once. @param {any} request @param {string} name */
function isSent({ tools }, name) {
  return tools.some((/** @type {any} */ tool) => tool.name === name && tool.defer_loading !== true)
}

/** Returns the text of all results. @param {any} request */
function readResults({ messages }) {
  return JSON.stringify(messages.map((/** @type {any} */ { type, content }) => (type === 'user' ? content : '')))
}

/** Replaces the placeholder for the repository. @param {unknown} input */
function fill(input) {
  return JSON.parse(JSON.stringify(input).replaceAll(REPOSITORY, repository))
}
