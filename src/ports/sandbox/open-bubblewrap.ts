import { findSystemProgram } from '../../system/find-program.js'
import type { Probed, SandboxOptions } from './backend.js'
import { BubblewrapBackend } from './bubblewrap-backend.js'
import { bubblewrapPrefix } from './bubblewrap-prefix.js'
import { makePrivateFolder } from './private-folder.js'
import { BUBBLEWRAP_TRIAL, probeBackend } from './probe-backend.js'
import { systemCallFilter } from './system-call-filter.js'

/** Finds bubblewrap and tries it. */
export async function openBubblewrap(options: SandboxOptions): Promise<Probed> {
  const { searchPath, workingFolders, temporaryFolder, machine, settings } = options
  const find = (name: string) => findSystemProgram(name, { searchPath, writable: workingFolders() })
  const bubblewrap = find('bwrap')
  if (bubblewrap === undefined) return { reason: 'bubblewrap is not installed: apt-get install bubblewrap' }
  const files = makePrivateFolder(temporaryFolder, systemCallFilter(machine, settings))
  const parts = { bubblewrap, nsenter: find('nsenter'), files }
  const fault = await probeBackend({
    folder: files.path,
    trial: BUBBLEWRAP_TRIAL,
    hasFilter: files.filter !== undefined,
    hold: (mounts, cwd) => bubblewrapPrefix(parts, { mounts, cwd }),
  })
  if (fault === undefined) return { backend: new BubblewrapBackend(options, parts) }
  files.remove()
  return { reason: fault }
}
