import { DEFAULT_SANDBOX_SETTINGS, type SandboxSettings } from '../../contract/host/sandbox-settings.js'
import type { Ports } from '../../contract/ports/index.js'
import type { OpenOutput } from '../../ports/shell/command-output.js'
import type { NodeShellPort } from '../../ports/shell/create-shell-port.js'
import { TaskRegistry, type TaskRegistryOptions } from '../../ports/tasks/task-registry.js'
import type { ManagedTerminalPort } from '../../ports/terminal/create-terminal-port.js'
import { OnDemand } from './on-demand.js'

export interface CommandPortsOptions {
  /** Environment variables that commands inherit. */
  readonly environment: () => Readonly<Record<string, string | undefined>>
  readonly home: string
  readonly workingFolders: () => readonly string[]
  /** Files and folders that the permission rules deny reading, for the sandbox. */
  readonly deniedReads?: () => readonly string[]
  readonly openOutput: OpenOutput
  readonly sandbox?: SandboxSettings | undefined
  readonly tasks?: TaskRegistryOptions | undefined
}

/** The ports that run commands on this machine. */
export interface CommandPorts {
  readonly ports: Pick<Ports, 'shell' | 'tasks' | 'terminal'>
  /** Announces that a command is about to run, so that the shell is loaded in advance. */
  expectCommand(): void
  /** Stops sub-agents that run in the background. */
  stopAgents(): Promise<void>
  /** Stops everything that was started through these ports. */
  dispose(): Promise<void>
}

/** Code is loaded and processes are started on first use, or in advance by `expectCommand`. */
export function createCommandPorts(options: CommandPortsOptions): CommandPorts {
  const tasks = new TaskRegistry(options.tasks)
  const shell = new OnDemand(() => openShell(options, tasks))
  const terminal = new OnDemand(() => openTerminal(options))
  return {
    ports: {
      shell: {
        run: async (request, callOptions) => (await shell.open()).port.run(request, callOptions),
        start: async (request) => (await shell.open()).port.start(request),
        confinement: async () => (await shell.open()).port.confinement(),
        workingFolders: options.workingFolders,
      },
      tasks,
      terminal: {
        open: async (command, callOptions) => (await terminal.open()).open(command, callOptions),
        get: (id) => terminal.opened?.get(id),
        list: () => terminal.opened?.list() ?? [],
      },
    },
    expectCommand() {
      // The command itself reports the error.
      shell.open().then(
        ({ port }) => port.warmUp(),
        () => undefined,
      )
    },
    async stopAgents() {
      const agents = tasks.list().filter(({ kind }) => kind === 'agent')
      await Promise.all(agents.map(({ id }) => tasks.stop(id)))
    },
    async dispose() {
      await tasks.stopAll()
      await (await shell.whenOpened())?.close()
      await (await terminal.whenOpened())?.dispose()
    },
  }
}

interface OpenedShell {
  readonly port: NodeShellPort
  close(): Promise<void>
}

async function openShell(options: CommandPortsOptions, tasks: TaskRegistry): Promise<OpenedShell> {
  const { environment, home, workingFolders, openOutput, sandbox: settings = DEFAULT_SANDBOX_SETTINGS } = options
  const [{ createShellPort }, { createSandbox }, { tmpdir }] = await Promise.all([
    import('../../ports/shell/create-shell-port.js'),
    import('../../ports/sandbox/create-sandbox.js'),
    import('node:os'),
  ])
  const { platform, arch, env } = process
  const sandbox = createSandbox({
    ...{ settings, workingFolders, home, platform, machine: arch, deniedReads: options.deniedReads },
    searchPath: env.PATH ?? '',
    temporaryFolder: tmpdir(),
  })
  const port = createShellPort({ environment: environment(), openOutput, sandbox, tasks })
  return {
    port,
    async close() {
      await port.dispose()
      await sandbox.close()
    },
  }
}

async function openTerminal({ environment }: CommandPortsOptions): Promise<ManagedTerminalPort> {
  const { createTerminalPort } = await import('../../ports/terminal/create-terminal-port.js')
  return createTerminalPort({ environment: environment() })
}
