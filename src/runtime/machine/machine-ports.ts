import { ToolCallError } from '../../contract/errors.js'
import type { PortName, Ports } from '../../contract/ports/index.js'
import type { ModelPort } from '../../contract/ports/model.js'
import { type CommandPortsOptions, createCommandPorts } from './command-ports.js'
import { createFilePorts, type FilePortsOptions } from './file-ports.js'
import { createNetworkPorts, type NetworkPortsOptions } from './network-ports.js'

/** The ports of this machine, which the host can replace. */
export interface MachinePorts {
  readonly ports: Partial<Ports> & Pick<Ports, 'tasks'>
  /** Announces a call of a tool with these needs, so that its ports are loaded in advance. */
  expect(needs: readonly PortName[]): void
  /** Stops sub-agents that run in the background. */
  stopAgents(): Promise<void>
  /** Stops everything that was started through these ports. */
  dispose(): Promise<void>
}

/** Most calls of tools that can ask a model need none, so these tools are offered without a model, too. */
const NO_MODEL: ModelPort = {
  complete: () => Promise.reject(new ToolCallError('tool_failed', 'No model is available here. Work without it.')),
}

export function createMachinePorts(
  options: CommandPortsOptions & FilePortsOptions & NetworkPortsOptions,
): MachinePorts {
  const commands = createCommandPorts(options)
  const files = createFilePorts(options)
  const network = createNetworkPorts(options)
  return {
    ports: { ...commands.ports, ...files.ports, ...network.ports, model: NO_MODEL },
    expect(needs) {
      if (needs.includes('shell')) commands.expectCommand()
      if (needs.includes('files')) files.expectAccess()
    },
    stopAgents: () => commands.stopAgents(),
    async dispose() {
      await Promise.all([commands.dispose(), network.dispose()])
      // After the commands, because checkpoints record what background commands changed until they end.
      await files.dispose()
    },
  }
}
