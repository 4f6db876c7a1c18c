import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { createTemporaryFolder } from '../src/testing/query-fixture.js'
import { AGENTS, listReceived, listSent } from './fixtures/exchange-plan.js'

/** Six agents, so the long form has more than 10,000 messages. */
const MESSAGES_PER_AGENT = process.env.HAFT_LONG_TESTS ? 1_667 : 60
const KILLS_PER_PROCESS = process.env.HAFT_LONG_TESTS ? 20 : 4

test('six agents in three processes that are killed at random get every message once and in order', async () => {
  const folder = await createTemporaryFolder()
  const program = await bundleFixture(folder)

  const killCounts = await Promise.all([0, 1, 2].map((number) => runProcess(program, folder, number)))

  expect(killCounts).toEqual([KILLS_PER_PROCESS, KILLS_PER_PROCESS, KILLS_PER_PROCESS])
  for (const receiver of AGENTS) {
    const receivedIds = listReceived(folder, receiver)
    const isFrom = (sender: string) => (id: string) => id.startsWith(`${sender}-`)
    for (const sender of AGENTS)
      expect(receivedIds.filter(isFrom(sender)), `${sender} to ${receiver}`).toEqual(
        listSent(sender, receiver, MESSAGES_PER_AGENT),
      )
  }
}, 600_000)

/** Runs a process until it is done, and kills it several times after a random number of messages. Returns how often. */
async function runProcess(program: string, folder: string, number: number): Promise<number> {
  const args = [program, folder, String(number), String(MESSAGES_PER_AGENT)]
  const messagesBetweenKills = (MESSAGES_PER_AGENT * 2) / (KILLS_PER_PROCESS + 1)
  for (let killCount = 0; ; killCount++) {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    let linesLeft = Math.ceil(Math.random() * messagesBetweenKills)
    let isDone = false
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line === 'done') isDone = true
      if (killCount < KILLS_PER_PROCESS && --linesLeft === 0) child.kill('SIGKILL')
    })
    const [code] = await once(child, 'close')
    if (isDone) return killCount
    if (code !== null) throw new Error(`Process ${number} ended with code ${code}.`)
  }
}

async function bundleFixture(folder: string): Promise<string> {
  const entryPoint = fileURLToPath(new URL('fixtures/exchange-messages.ts', import.meta.url))
  const outfile = join(folder, 'exchange-messages.mjs')
  await build({ entryPoints: [entryPoint], bundle: true, platform: 'node', format: 'esm', logLevel: 'error', outfile })
  return outfile
}
