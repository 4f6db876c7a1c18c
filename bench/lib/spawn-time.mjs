import { spawnSync } from 'node:child_process'

/**
 * Runs Node with these arguments; returns the milliseconds from start to exit.
 * @param {readonly string[]} args
 */
export function measureSpawnTime(args) {
  const start = process.hrtime.bigint()
  const { status, stderr } = spawnSync(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  if (status !== 0) throw new Error(`node ${args.join(' ')} failed: ${stderr}`)
  return Number(process.hrtime.bigint() - start) / 1e6
}
