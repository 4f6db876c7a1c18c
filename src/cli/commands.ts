import type { Command } from './io/command.js'
import type { Agents } from './run-cli.js'
import type { Usages } from './usage.js'

/** Creates a row of the table. Its texts are loaded on demand, because this table is part of every start. */
const command = (name: keyof Usages, load: Command['load']): Command => ({
  name,
  help: async () => (await import('./usage.js')).usages[name],
  load,
})

/** The two forms of the agent. One of them runs if no command is named. */
export const agents: Agents = {
  print: command('-p', async () => (await import('./commands/print/run-print.js')).runPrint),
  interactive: command('haft', async () => (await import('./commands/interactive/run-interactive.js')).runInteractive),
}

/** All commands, in the order of the help text. */
export const commands: readonly Command[] = [
  command('init', async () => (await import('./commands/init/run-init.js')).runInit),
  command('login', async () => (await import('./commands/login/run-login.js')).runLogin),
  command('models', async () => (await import('./commands/models/run-models.js')).runModels),
  command('trust', async () => (await import('./commands/trust/run-trust.js')).runTrust),
  command('config', async () => (await import('./commands/config/run-config.js')).runConfig),
  command('tools', async () => (await import('./commands/tools/run-tools.js')).runTools),
  command('call', async () => (await import('./commands/call/run-call.js')).runCall),
  command('run', async () => (await import('./commands/run/run-stream.js')).runRunCommand),
  command('replay', async () => (await import('./commands/replay/run-replay.js')).runReplay),
  command('inspect', async () => (await import('./commands/inspect/run-inspect.js')).runInspect),
  command('sessions', async () => (await import('./commands/sessions/run-sessions.js')).runSessions),
  command('stats', async () => (await import('./commands/stats/run-stats.js')).runStats),
  command('rewind', async () => (await import('./commands/rewind/run-rewind.js')).runRewind),
  command('schedule', async () => (await import('./commands/schedule/run-schedule.js')).runSchedule),
  command('worker', async () => (await import('./commands/worker/run-worker.js')).runWorker),
  command('fleet', async () => (await import('./commands/fleet/run-fleet.js')).runFleet),
  command('permissions', async () => (await import('./commands/permissions/run-permissions.js')).runPermissions),
  command('mcp', async () => (await import('./commands/mcp/run-mcp.js')).runMcp),
  command('acp', async () => (await import('./commands/acp/run-acp.js')).runAcp),
  command('demo', async () => (await import('./commands/demo/run-demo.js')).runDemo),
  command('doctor', async () => (await import('./commands/doctor/run-doctor.js')).runDoctor),
]
