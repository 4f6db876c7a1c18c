import { tmpdir } from 'node:os'
import { DEFAULT_SANDBOX_SETTINGS, type SandboxSettings } from '../../contract/host/sandbox-settings.js'
import type { ConfinementStatus } from '../../contract/ports/shell.js'
import { createSandbox } from '../../ports/sandbox/create-sandbox.js'
import type { CommandIo } from '../io/command.js'

/** Runs a trial command to find out whether this machine can confine commands. */
export async function findSandboxStatus(
  { homeDir = tmpdir(), platform, variables }: Pick<CommandIo, 'homeDir' | 'platform' | 'variables'>,
  settings: SandboxSettings = DEFAULT_SANDBOX_SETTINGS,
): Promise<ConfinementStatus> {
  const sandbox = createSandbox({
    ...{ settings, platform, home: homeDir, searchPath: variables.PATH ?? '' },
    workingFolders: () => [],
    machine: process.arch,
    temporaryFolder: tmpdir(),
  })
  const status = await sandbox.status()
  await sandbox.close()
  return status
}
