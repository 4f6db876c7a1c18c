import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { watchMemory } from './watch-memory.mjs'

const HAFT_PATH = resolve('bin/haft')

/**
 * Creates an empty home folder and an empty project, in which the built command line runs.
 * @param {string} folder
 */
export function createAgentFixture(folder) {
  const home = join(folder, 'home')
  const project = join(folder, 'project')
  for (const path of [home, project]) mkdirSync(path)
  spawnSync('git', ['init', '--quiet'], { cwd: project, stdio: 'ignore' })
  return {
    project,
    /** @param {string} name @param {string} text */
    write(name, text) {
      const path = join(project, name)
      writeFileSync(path, text)
      return path
    },
    /**
     * Returns the milliseconds from the start of `haft -p` to its end.
     * @param {AgentRun} run
     */
    run(run) {
      const start = process.hrtime.bigint()
      const { status, stdout, stderr } = spawnSync(process.execPath, buildCommandLine(run), {
        ...optionsOf(run),
        encoding: 'utf8',
      })
      const time = Number(process.hrtime.bigint() - start) / 1e6
      check(status, stdout, stderr)
      return time
    },
    /**
     * Returns the peak memory in bytes of `haft -p` and all processes that it starts.
     * @param {AgentRun} run
     */
    async measurePeakMemory(run) {
      const child = spawn(process.execPath, buildCommandLine(run), optionsOf(run))
      const memory = watchMemory(child.pid ?? 0)
      const [status] = await once(child, 'exit')
      check(status, FINAL_ANSWER, '')
      return memory.stop()
    },
  }

  /** @typedef {{ url: string, args?: readonly string[], variables?: Readonly<Record<string, string>> }} AgentRun */

  /** @param {AgentRun} run */
  function optionsOf({ url, variables = { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'a key' } }) {
    const env = { PATH: process.env.PATH, HOME: home, ...variables }
    return { cwd: project, env, stdio: /** @type {['ignore', 'pipe', 'pipe']} */ (['ignore', 'pipe', 'pipe']) }
  }
}

/** The last message of the model in every run. */
export const FINAL_ANSWER = 'The task is done.'

/** @param {{ args?: readonly string[] }} run */
function buildCommandLine({ args = [] }) {
  return [HAFT_PATH, '-p', 'Complete the task.', ...args]
}

/**
 * Fails the bench if a run failed: failed runs are often fast.
 * @param {number | null} status
 * @param {string} stdout
 * @param {string} stderr
 */
function check(status, stdout, stderr) {
  if (status !== 0 || stdout.trim() !== FINAL_ANSWER)
    throw new Error(`haft -p exited with ${status}: ${stdout}${stderr}`)
  if (stderr !== '') throw new Error(`haft -p wrote to standard error: ${stderr}`)
}
