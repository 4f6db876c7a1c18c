import type { DeniedReads } from '../../contract/host/denied-reads.js'
import { DEFAULT_SANDBOX_SETTINGS, type SandboxSettings } from '../../contract/host/sandbox-settings.js'
import type { Ports } from '../../contract/ports/index.js'
import type { ManagedInterpreter } from '../../ports/interpreter/create-interpreter.js'
import type { Sandbox } from '../../ports/sandbox/create-sandbox.js'
import type { UserGitConfig } from '../../ports/sandbox/protect/git-control.js'
import type { OpenOutput } from '../../ports/shell/command-output.js'
import type { NodeShellPort } from '../../ports/shell/create-shell-port.js'
import { TaskRegistry, type TaskRegistryOptions } from '../../ports/tasks/task-registry.js'
import type { ManagedTerminalPort } from '../../ports/terminal/create-terminal-port.js'
import type { SecretMasker } from '../../shared/secret-masker.js'
import { OnDemand } from './on-demand.js'

export interface CommandPortsOptions {
  /** Environment variables that commands inherit. */
  readonly environment: () => Readonly<Record<string, string | undefined>>
  readonly home: string
  readonly workingFolders: () => readonly string[]
  /** Files and folders that the permission rules deny reading, for the sandbox. */
  readonly deniedReads?: () => DeniedReads
  /** What git reads for every repository, for the sandbox. */
  readonly userGitConfig: () => UserGitConfig
  readonly openOutput: OpenOutput
  /** Masks secrets in the output of commands. */
  readonly secrets?: SecretMasker | undefined
  readonly sandbox?: SandboxSettings | undefined
  readonly tasks?: TaskRegistryOptions | undefined
}

/** The ports that run commands on this machine. */
export interface CommandPorts {
  readonly ports: Pick<Ports, 'shell' | 'tasks' | 'terminal' | 'interpreter'>
  /** Announces that a command is about to run, so that the shell is loaded in advance. */
  expectCommand(): void
  /** Stops sub-agents that run in the background. */
  stopAgents(): Promise<void>
  /** Ends the interpreter of an agent. */
  endInterpreter(session: string): Promise<void>
  /** Stops everything that was started through these ports. */
  dispose(): Promise<void>
}

/** Creates the ports. Code is loaded and processes are started on first use, or in advance by `expectCommand`. */
export function createCommandPorts(options: CommandPortsOptions): CommandPorts {
  const tasks = new TaskRegistry(options.tasks)
  const sandbox = new OnDemand(() => openSandbox(options))
  const shell = new OnDemand(async () => openShell(options, await sandbox.open(), tasks))
  const interpreter = new OnDemand(() => openInterpreter(options))
  const terminal = new OnDemand(async () => openTerminal(options, await sandbox.open()))
  return {
    ports: {
      shell: {
        run: async (request, callOptions) => (await shell.open()).run(request, callOptions),
        start: async (request, startOptions) => (await shell.open()).start(request, startOptions),
        confinement: async () => (await shell.open()).confinement(),
        workingFolders: options.workingFolders,
      },
      tasks,
      terminal: {
        open: async (command, callOptions) => (await terminal.open()).open(command, callOptions),
        get: (id) => terminal.opened?.get(id),
        list: () => terminal.opened?.list() ?? [],
      },
      interpreter: {
        run: async (request) => (await interpreter.open()).run(request),
        end: async (session) => interpreter.opened?.end(session),
      },
    },
    expectCommand() {
      // The command itself reports the error.
      shell.open().then(
        (port) => port.warmUp(),
        () => undefined,
      )
    },
    async stopAgents() {
      const agents = tasks.list().filter(({ kind }) => kind === 'agent')
      await Promise.all(agents.map(({ id }) => tasks.stop(id)))
    },
    async endInterpreter(session) {
      await interpreter.opened?.end(session)
    },
    async dispose() {
      await tasks.stopAll()
      await (await shell.getIfRequested())?.dispose()
      await (await terminal.getIfRequested())?.dispose()
      await (await interpreter.getIfRequested())?.dispose()
      await (await sandbox.getIfRequested())?.close()
    },
  }
}

async function openSandbox(options: CommandPortsOptions): Promise<Sandbox> {
  const { home, workingFolders, deniedReads, userGitConfig, sandbox: settings = DEFAULT_SANDBOX_SETTINGS } = options
  const [{ createSandbox }, { tmpdir }] = await Promise.all([
    import('../../ports/sandbox/create-sandbox.js'),
    import('node:os'),
  ])
  const { platform, arch, env } = process
  return createSandbox({
    ...{ settings, workingFolders, home, platform, machine: arch, deniedReads, userGitConfig: userGitConfig() },
    searchPath: env.PATH ?? '',
    temporaryFolder: tmpdir(),
  })
}

async function openShell(
  { environment, openOutput, secrets }: CommandPortsOptions,
  sandbox: Sandbox,
  tasks: TaskRegistry,
): Promise<NodeShellPort> {
  const { createShellPort } = await import('../../ports/shell/create-shell-port.js')
  return createShellPort({ environment: environment(), openOutput, secrets, sandbox, tasks })
}

async function openInterpreter({ environment }: CommandPortsOptions): Promise<ManagedInterpreter> {
  const { createInterpreter } = await import('../../ports/interpreter/create-interpreter.js')
  return createInterpreter({ environment: environment() })
}

async function openTerminal({ environment }: CommandPortsOptions, sandbox: Sandbox): Promise<ManagedTerminalPort> {
  const { createTerminalPort } = await import('../../ports/terminal/create-terminal-port.js')
  return createTerminalPort({ environment: environment(), sandbox })
}
