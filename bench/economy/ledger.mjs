import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { countRequests } from './count-requests.mjs'
import { playTask } from './play-task.mjs'

/** @typedef {import('./count-requests.mjs').Count} Count */
/** @typedef {Record<string, Record<string, Count>>} Measured Counts by task and carrier. */
/**
 * @typedef {object} Table
 * @property {readonly { reason: string, total: number }[]} history The newest entry last; the reason of every change.
 * @property {Measured} tasks
 */

const folder = fileURLToPath(new URL('.', import.meta.url))
const TABLE_FILE = join(folder, 'table.json')
export const CARRIERS = /** @type {const} */ (['portable', 'native'])
/** What a change may cost without a reason. */
export const MAX_GROWTH = 0.02

export async function listTasks() {
  const files = await readdir(join(folder, 'tasks'))
  return files.map((file) => file.replace(/\.mjs$/, '')).sort()
}

/** @returns {Promise<Measured>} */
export async function measureAll() {
  /** @type {Measured} */
  const measured = {}
  for (const task of await listTasks()) {
    measured[task] = {}
    for (const carrier of CARRIERS) measured[task][carrier] = countRequests(await playTask(task, carrier))
  }
  return measured
}

/** @returns {Promise<Table>} */
export async function readTable() {
  return JSON.parse(await readFile(TABLE_FILE, 'utf8'))
}

/** @param {Measured} measured @param {string | undefined} reason */
export async function updateTable(measured, reason) {
  if (reason === undefined || reason.trim() === '')
    throw new Error('The reason is missing. Usage: node bench/economy.mjs --update "REASON"')
  const { history } = await readTable().catch(() => ({ history: [] }))
  const table = { history: [...history, { reason, total: sumTokens(measured) }], tasks: measured }
  await writeFile(TABLE_FILE, `${JSON.stringify(table, undefined, 2)}\n`)
  console.log(formatTable(measured))
}

/**
 * Returns each measured total with the largest that the table allows. A task that the table does not have is over any limit.
 * @param {Measured} measured @param {Table} table
 */
export function compareWithTable(measured, table) {
  return Object.entries(measured).flatMap(([task, counts]) =>
    Object.entries(counts).map(([carrier, { total }]) => ({
      name: `${task}, ${carrier}`,
      tokens: total,
      limit: Math.floor((table.tasks[task]?.[carrier]?.total ?? 0) * (1 + MAX_GROWTH)),
    })),
  )
}

/** @param {Measured} measured */
export function sumTokens(measured) {
  return listCounts(measured).reduce((sum, { total }) => sum + total, 0)
}

/** The share of the tokens that the provider has in its cache. @param {readonly Count[]} counts */
export function computeCachedShare(counts) {
  const total = counts.reduce((sum, count) => sum + count.total, 0)
  return counts.reduce((sum, { cached }) => sum + cached, 0) / total
}

/** @param {Measured} measured @param {string} [carrier] */
export function listCounts(measured, carrier) {
  return Object.values(measured).flatMap((counts) =>
    Object.entries(counts).flatMap(([name, count]) => (carrier === undefined || name === carrier ? [count] : [])),
  )
}

/** @param {Measured} measured */
export function formatTable(measured) {
  const parts = [...new Set(listCounts(measured).flatMap((count) => Object.keys(count.parts)))].sort()
  const lines = CARRIERS.flatMap((carrier) => {
    const counts = listCounts(measured, carrier)
    const total = counts.reduce((sum, count) => sum + count.total, 0)
    return [
      `\n${carrier}: ${total} tokens in ${counts.reduce((sum, { requests }) => sum + requests, 0)} requests, ` +
        `${(100 * computeCachedShare(counts)).toFixed(1)}% cached, first request ${Math.max(...counts.map(({ first }) => first))}`,
      ...Object.entries(measured).map(([task, { [carrier]: count }]) =>
        count === undefined
          ? ''
          : `  ${task.padEnd(26)} ${String(count.total).padStart(8)} tokens  ${String(count.requests).padStart(3)} requests  ${(100 * computeCachedShare([count])).toFixed(1)}% cached  largest ${count.largest}`,
      ),
      ...parts.map((part) => {
        const tokens = counts.reduce((sum, count) => sum + (count.parts[part] ?? 0), 0)
        return `    ${part.padEnd(24)} ${String(tokens).padStart(8)}  ${((100 * tokens) / total).toFixed(1)}%`
      }),
    ]
  })
  return lines.join('\n')
}
