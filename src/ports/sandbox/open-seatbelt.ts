import { existsSync } from 'node:fs'
import type { Probed, SandboxOptions } from './backend.js'
import { makePrivateFolder } from './private-folder.js'
import { probeBackend, SEATBELT_TRIAL } from './probe-backend.js'
import { SeatbeltBackend, seatbeltPrefix } from './seatbelt-backend.js'

const SANDBOX_EXEC = '/usr/bin/sandbox-exec'

/** Tries what a Mac brings. */
export async function openSeatbelt(options: SandboxOptions): Promise<Probed> {
  if (!existsSync(SANDBOX_EXEC)) return { reason: `${SANDBOX_EXEC} is missing` }
  const files = makePrivateFolder(options.temporaryFolder, undefined)
  const fault = await probeBackend({
    folder: files.path,
    trial: SEATBELT_TRIAL,
    hold: (mounts) => seatbeltPrefix(SANDBOX_EXEC, { mounts, allowsUnixSockets: false }),
  })
  if (fault === undefined) return { backend: new SeatbeltBackend(options, { program: SANDBOX_EXEC, files }) }
  files.remove()
  return { reason: fault }
}
