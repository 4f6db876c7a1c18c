import { tmpdir } from 'node:os'
import { NO_SANDBOX_SETTINGS } from '../../../contract/host/sandbox-settings.js'
import { createSandbox } from '../../../ports/sandbox/create-sandbox.js'
import type { CommandIo } from '../../command.js'
import type { Finding } from './finding.js'

/** Holds a trial command in the sandbox, and tells whether that worked or what is missing. */
export async function sandboxFinding(io: CommandIo): Promise<Finding> {
  const sandbox = createSandbox({
    settings: NO_SANDBOX_SETTINGS,
    workingFolders: () => [],
    home: io.homeDir ?? tmpdir(),
    platform: io.platform,
    machine: process.arch,
    searchPath: io.variables.PATH ?? '',
    temporaryFolder: tmpdir(),
  })
  const { isAvailable, reason } = await sandbox.status()
  await sandbox.close()
  return isAvailable
    ? { name: 'sandbox', status: 'found', detail: `${reason} held a trial command` }
    : { name: 'sandbox', status: 'missing', detail: `commands run unheld: ${reason}` }
}
