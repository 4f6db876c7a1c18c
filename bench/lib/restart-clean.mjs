import { spawnSync } from 'node:child_process'
import { cleanEnvironment } from './clean-environment.mjs'

/**
 * Importing this module restarts the bench in a clean environment, unless the environment is already clean. Every bench
 * imports it first, so that all processes that the bench starts inherit the clean environment.
 */
const env = cleanEnvironment()
if (Object.keys(env).length < Object.keys(process.env).length) {
  const args = [...process.execArgv, ...process.argv.slice(1)]
  const { status } = spawnSync(process.execPath, args, { env, stdio: 'inherit' })
  process.exit(status ?? 1)
}
