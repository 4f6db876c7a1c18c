import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { watchMemory } from './watch-memory.mjs'

const HAFT = resolve('bin/haft')

/**
 * A home and a project that nobody has worked in, and the real command line there.
 * @param {string} folder
 */
export function makeAgentPlace(folder) {
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
     * Milliseconds from the start of `haft -p` to its end.
     * @param {Asking} asking
     */
    run(asking) {
      const start = process.hrtime.bigint()
      const { status, stdout, stderr } = spawnSync(process.execPath, commandLine(asking), {
        ...optionsOf(asking),
        encoding: 'utf8',
      })
      const time = Number(process.hrtime.bigint() - start) / 1e6
      check(status, stdout, stderr)
      return time
    },
    /**
     * The most bytes that `haft -p` and all that it starts hold at once.
     * @param {Asking} asking
     */
    async peakMemory(asking) {
      const child = spawn(process.execPath, commandLine(asking), optionsOf(asking))
      const memory = watchMemory(child.pid ?? 0)
      const [status] = await once(child, 'exit')
      check(status, ANSWER, '')
      return memory.stop()
    },
  }

  /** @typedef {{ url: string, args?: readonly string[], variables?: Readonly<Record<string, string>> }} Asking */

  /** @param {Asking} asking */
  function optionsOf({ url, variables = { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'a key' } }) {
    const env = { PATH: process.env.PATH, HOME: home, ...variables }
    return { cwd: project, env, stdio: /** @type {['ignore', 'pipe', 'pipe']} */ (['ignore', 'pipe', 'pipe']) }
  }
}

/** What each script of the bench ends with. */
export const ANSWER = 'All of it is done.'

/** @param {{ args?: readonly string[] }} asking */
function commandLine({ args = [] }) {
  return [HAFT, '-p', 'Do what has to be done.', ...args]
}

/**
 * A run that went wrong is often a fast one.
 * @param {number | null} status
 * @param {string} stdout
 * @param {string} stderr
 */
function check(status, stdout, stderr) {
  if (status !== 0 || stdout.trim() !== ANSWER) throw new Error(`haft -p gave ${status} and ${stdout}${stderr}`)
  if (stderr !== '') throw new Error(`haft -p complained: ${stderr}`)
}
