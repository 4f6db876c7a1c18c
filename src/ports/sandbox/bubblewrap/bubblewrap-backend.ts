import { accessSync, constants, existsSync } from 'node:fs'
import { join } from 'node:path'
import { reasonOf } from '../../../shared/reason-of.js'
import { runStepsInSlices } from '../../../shared/steps.js'
import { findSystemProgram } from '../../../system/find-program.js'
import { listStrayDescriptors } from '../../../system/processes/stray-descriptors.js'
import type { ConfinedLaunch } from '../../shell/confinement.js'
import type { Backend, BackendRequest, ProbeResult, SandboxOptions } from '../backend.js'
import { explainRefusals } from '../explain/explain-refusals.js'
import { machineFacts } from '../explain/machine-facts.js'
import { RefusalLog } from '../explain/refusal-log.js'
import { createDomainProxy, createProxyEnvironment } from '../network/domain-proxy.js'
import { BUBBLEWRAP_PROBE, probeBackend } from '../probe-backend.js'
import { Placeholders } from '../protect/placeholders.js'
import { makePrivateFolder, type PrivateFolder } from '../protect/private-folder.js'
import type { SandboxConfinement } from '../sandbox-policy.js'
import { SandboxViews } from '../sandbox-view.js'
import { createBubblewrapPrefix } from './bubblewrap-arguments.js'
import { type ClosedNetwork, openClosedNetwork } from './closed-network.js'
import { createSystemCallFilter } from './system-call-filter.js'

/** The temporary folder of read-only commands. It is in the private /dev of bubblewrap, so it disappears with the command. */
const MEMORY_FOLDER = '/dev/shm'

interface BackendParts {
  readonly bubblewrap: string
  readonly nsenter: string | undefined
  readonly files: PrivateFolder
  readonly strayDescriptors: readonly number[]
}

interface Network {
  readonly closedNetwork?: ClosedNetwork
  readonly fault?: string
}

/** Confines commands with Linux namespaces. */
class BubblewrapBackend implements Backend {
  private readonly refusals = new RefusalLog()
  private readonly placeholders: Placeholders
  private readonly views: SandboxViews
  private network: Promise<Network> | undefined

  constructor(
    private readonly options: SandboxOptions,
    private readonly parts: BackendParts,
  ) {
    this.views = new SandboxViews(options)
    this.placeholders = new Placeholders(chooseMarksFolder(options.home, parts.files.path))
  }

  get name(): string {
    const { bubblewrap, files } = this.parts
    return files.filter === undefined ? `${bubblewrap}, which cannot block Unix sockets on this machine` : bubblewrap
  }

  async confine(request: BackendRequest): Promise<ConfinedLaunch> {
    const { confinement, cwd, keepsTerminal = false } = request
    const { settings } = this.options
    const { files } = this.parts
    const network = await this.getNetwork(confinement)
    const sandboxView = await runStepsInSlices(this.views.createView(request, this.placeholders.includes))
    const { writableFolders: writable, mounts, showsOtherFiles } = sandboxView
    const missingMounts = mounts.filter(({ kind }) => kind === 'absent' || kind === 'fixed-file')
    const mark = this.refusals.mark()
    const isWriting = confinement === 'workspace'
    const prefix = createBubblewrapPrefix(this.parts, {
      mounts: [...mounts, ...(isWriting ? files.mounts : [])],
      cwd,
      showsOtherFiles,
      isWriting,
      keepsTerminal,
      ...(network.closedNetwork && { networkPrefix: network.closedNetwork.argvPrefix }),
    })
    const removePlaceholders = this.placeholders.hold(missingMounts)
    const guard = this.views.guard(sandboxView, files.temporaryFolder)
    return {
      ...prefix,
      folder: files.path,
      environment: {
        HAFT_SANDBOX: '1',
        TMPDIR: isWriting ? files.temporaryFolder : MEMORY_FOLDER,
        ...(network.closedNetwork && createProxyEnvironment(network.closedNetwork.proxyUrl)),
      },
      confinement,
      explain: (end) => [
        ...guard.finish(),
        ...explainRefusals(
          end,
          {
            ...{ confinement, cwd, writableFolders: writable, mounts, showsOtherFiles },
            hasProxy: network.closedNetwork !== undefined,
            ...(network.fault !== undefined && { proxyFault: network.fault }),
            allowsUnixSockets: settings.allowsUnixSockets || files.filter === undefined,
            allowsUnsandboxed: settings.allowsUnsandboxed,
            hosts: this.refusals.listSince(mark),
          },
          machineFacts,
        ),
      ],
      watch: (end) => guard.start(end),
      release() {
        guard.finish()
        removePlaceholders()
      },
    }
  }

  close(): void {
    void this.network?.then(({ closedNetwork }) => closedNetwork?.close())
    this.parts.files.remove()
  }

  /** Opens the network for a command. Read-only commands have none. */
  private getNetwork(confinement: SandboxConfinement): Promise<Network> | Network {
    if (confinement === 'read-only' || this.options.settings.allowedDomains.length === 0) return {}
    this.network ??= this.openNetwork()
    return this.network
  }

  private async openNetwork(): Promise<Network> {
    const { bubblewrap, nsenter } = this.parts
    if (nsenter === undefined) return { fault: 'its proxy needs nsenter (apt-get install util-linux)' }
    const { settings, lookUp, searchPath } = this.options
    const proxy = createDomainProxy({
      allowedDomains: settings.allowedDomains,
      refusals: this.refusals,
      ...(lookUp !== undefined && { lookUp }),
    })
    try {
      return { closedNetwork: await openClosedNetwork({ bubblewrap, nsenter, searchPath }, proxy) }
    } catch (error) {
      return { fault: `its proxy did not start (${reasonOf(error)})` }
    }
  }
}

/**
 * Returns the folder for the marks of placeholders, without creating it. All Haft processes of a user share the one in the
 * home folder. If the home folder is not writable, the folder belongs to this process alone.
 */
function chooseMarksFolder(home: string, ownFolder: string): string {
  try {
    const haftFolder = join(home, '.haft')
    accessSync(existsSync(haftFolder) ? haftFolder : home, constants.W_OK)
    return join(haftFolder, 'sandbox')
  } catch {
    return join(ownFolder, 'placeholders')
  }
}

/** Opens the sandbox of bubblewrap, if it is installed and its probe succeeds. */
export async function openBubblewrap(options: SandboxOptions): Promise<ProbeResult> {
  const { searchPath, workingFolders, temporaryFolder, machine, settings } = options
  const find = (name: string) => findSystemProgram(name, { searchPath, writableFolders: workingFolders() })
  const bubblewrap = find('bwrap')
  if (bubblewrap === undefined) return { reason: 'bubblewrap is not installed: apt-get install bubblewrap' }
  const { allowsUnixSockets } = settings
  const keepsAttributes = process.getuid?.() === 0
  const files = makePrivateFolder(temporaryFolder, {
    filter: createSystemCallFilter(machine, { allowsUnixSockets }),
    readingFilter: createSystemCallFilter(machine, { allowsUnixSockets, keepsAttributes }),
  })
  const parts = { bubblewrap, nsenter: find('nsenter'), files, strayDescriptors: listStrayDescriptors() }
  const fault = await probeBackend({
    folder: files.path,
    script: BUBBLEWRAP_PROBE,
    hasFilter: files.filter !== undefined,
    confine: (mounts, cwd) => createBubblewrapPrefix(parts, { mounts, cwd }),
  })
  if (fault === undefined) return { backend: new BubblewrapBackend(options, parts) }
  files.remove()
  return { reason: fault }
}
