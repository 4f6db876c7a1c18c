import type { PortName, Ports } from '../../contract/ports/index.js'
import { type CommandPortsOptions, createCommandPorts } from './command-ports.js'
import { createFilePorts, type FilePortsOptions } from './file-ports.js'

/** What tools get of this machine, unless the host brings its own. */
export interface MachinePorts {
  readonly ports: Partial<Ports> & Pick<Ports, 'tasks'>
  /** A call will come of a tool with these needs. */
  expect(needs: readonly PortName[]): void
  /** Ends the sub-agents that work in the background. */
  stopAgents(): Promise<void>
  /** Ends everything that was started through them. */
  dispose(): Promise<void>
}

export function createMachinePorts(options: CommandPortsOptions & FilePortsOptions): MachinePorts {
  const commands = createCommandPorts(options)
  const files = createFilePorts(options)
  return {
    ports: { ...commands.ports, ...files.ports },
    expect(needs) {
      if (needs.includes('shell')) commands.expectCommand()
      if (needs.includes('files')) files.expectAccess()
    },
    stopAgents: () => commands.stopAgents(),
    async dispose() {
      await commands.dispose()
      // After them: what commands in the background left is noted when they have ended.
      await files.dispose()
    },
  }
}
