import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'

/** @typedef {{ body: any, at: number, endedAt: number, connection: number }} ReceivedRequest */

/**
 * Starts a model server in its own process, so that its work does not count as work of the agent.
 * @param {{ folder: string, name: string, turns: readonly object[] }} options `turns` are the answers of one run; they repeat
 */
export async function startModelProcess({ folder, name, turns }) {
  const file = join(folder, `${name}.json`)
  writeFileSync(file, JSON.stringify(turns))
  const server = spawn(process.execPath, ['bench/lib/serve-model.mjs', file], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [url] = await once(createInterface({ input: server.stdout }), 'line')
  return {
    url: String(url),
    /** Returns the received requests, split into runs: each run makes one request per turn. */
    async runs() {
      /** @type {ReceivedRequest[]} */
      const requests = JSON.parse(await getText(`${url}/requests`))
      return Array.from({ length: requests.length / turns.length }, (_, run) =>
        requests.slice(run * turns.length, (run + 1) * turns.length),
      )
    },
    stop: () => server.kill(),
  }
}

/**
 * Returns the milliseconds from the last byte of each answer to the next request.
 * @param {readonly ReceivedRequest[]} run
 */
export function gapsOf(run) {
  return run.slice(1).map(({ at }, index) => at - (run[index]?.endedAt ?? Number.NaN))
}

/** @param {string} url */
async function getText(url) {
  const [response] = await once(get(url), 'response')
  return await text(response)
}
