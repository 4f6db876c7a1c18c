import { ToolCallError } from '../../contract/errors.js'
import type { PortName, Ports } from '../../contract/ports/index.js'
import type { ModelPort } from '../../contract/ports/model.js'
import type { TaskBoardOptions } from '../../ports/task-board/create-task-board.js'
import type { TeamsOptions } from '../../ports/teams/create-teams.js'
import type { WorkflowsOptions } from '../../ports/workflows/create-workflows.js'
import { type CommandPortsOptions, createCommandPorts } from './command-ports.js'
import { createFilePorts, type FilePortsOptions } from './file-ports.js'
import { createNetworkPorts, type NetworkPortsOptions } from './network-ports.js'
import { createTaskBoardPort } from './task-board-port.js'
import { createTeamsPort } from './teams-port.js'
import { createWorkflowsPort } from './workflows-port.js'

/** The ports of this machine, which the host can replace. */
export interface MachinePorts {
  readonly ports: Partial<Ports> & Pick<Ports, 'tasks'>
  /** Announces a call of a tool with these needs, so that its ports are loaded in advance. */
  expect(needs: readonly PortName[]): void
  /** Stops sub-agents that run in the background. */
  stopAgents(): Promise<void>
  /** Ends the interpreter of an agent. */
  endInterpreter(session: string): Promise<void>
  /** Stops everything that was started through these ports. */
  dispose(): Promise<void>
}

/** Most calls of tools that can ask a model need none, so these tools are offered without a model, too. */
const NO_MODEL: ModelPort = {
  complete: () => Promise.reject(new ToolCallError('tool_failed', 'No model is available here. Work without it.')),
}

interface SharedWorkOptions {
  /** Where the task board of the project is. Without it, there is no `taskBoard` port. */
  readonly taskBoard?: TaskBoardOptions | undefined
  /** Where the teams of the project are. Without it, there is no `teams` port. */
  readonly teams?: TeamsOptions | undefined
  /** Where the journals of workflows are. Without it, there is no `workflows` port. */
  readonly workflows?: WorkflowsOptions | undefined
}

type MachinePortsOptions = CommandPortsOptions & FilePortsOptions & NetworkPortsOptions & SharedWorkOptions

/** Creates the ports with their first use: the tools of many runtimes need none. */
export function createMachinePorts(getOptions: () => MachinePortsOptions): MachinePorts {
  let opened: MachinePorts | undefined
  const open = () => {
    opened ??= openMachinePorts(getOptions())
    return opened
  }
  return {
    get ports() {
      return open().ports
    },
    expect: (needs) => open().expect(needs),
    stopAgents: async () => opened?.stopAgents(),
    endInterpreter: async (session) => opened?.endInterpreter(session),
    dispose: async () => opened?.dispose(),
  }
}

function openMachinePorts(options: MachinePortsOptions): MachinePorts {
  const commands = createCommandPorts(options)
  const files = createFilePorts(options)
  const network = createNetworkPorts(options)
  const taskBoard = options.taskBoard === undefined ? {} : { taskBoard: createTaskBoardPort(options.taskBoard) }
  const teams = options.teams && createTeamsPort(options.teams)
  const workflows = options.workflows && createWorkflowsPort(options.workflows)
  return {
    // Not spread into one literal, which takes V8 three times as long.
    ports: Object.assign(
      commands.ports,
      files.ports,
      network.ports,
      taskBoard,
      teams && { teams },
      workflows && { workflows },
      {
        model: NO_MODEL,
      },
    ),
    expect(needs) {
      if (needs.includes('shell')) commands.expectCommand()
      if (needs.includes('files')) files.expectAccess()
    },
    async stopAgents() {
      // First, so that teammates stay members of their team.
      await teams?.close()
      await commands.stopAgents()
    },
    endInterpreter: (session) => commands.endInterpreter(session),
    async dispose() {
      await Promise.all([commands.dispose(), network.dispose()])
      // After the commands, because checkpoints record what background commands changed until they end.
      await files.dispose()
    },
  }
}
