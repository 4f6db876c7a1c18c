import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { runStepsInSlices } from '../../../shared/steps.js'
import type { CommandPrefix, ConfinedLaunch } from '../../shell/confinement.js'
import type { Backend, BackendRequest, ProbeResult, SandboxOptions } from '../backend.js'
import { explainRefusals } from '../explain/explain-refusals.js'
import { machineFacts } from '../explain/machine-facts.js'
import { RefusalLog } from '../explain/refusal-log.js'
import { createDomainProxy, createProxyEnvironment } from '../network/domain-proxy.js'
import { probeBackend, SEATBELT_PROBE } from '../probe-backend.js'
import { makePrivateFolder, type PrivateFolder } from '../protect/private-folder.js'
import type { SandboxConfinement } from '../sandbox-policy.js'
import { SandboxViews } from '../sandbox-view.js'
import { createSeatbeltProfile, type SeatbeltView } from './seatbelt-profile.js'

interface OpenProxy {
  readonly port: number
  readonly url: string
  close(): void
}

/**
 * Returns the prefix that runs a program under Seatbelt. A shell sets the working folder, because `sandbox-exec` has no option
 * for that.
 */
function createSeatbeltPrefix(program: string, view: SeatbeltView, cwd = '/'): CommandPrefix {
  return { argvPrefix: [program, '-p', createSeatbeltProfile(view), '/bin/sh', '-c', 'cd "$0" && exec "$@"', cwd] }
}

/** Confines commands with the sandbox of macOS. */
class SeatbeltBackend implements Backend {
  private readonly refusals = new RefusalLog()
  private readonly views: SandboxViews
  private proxy: Promise<OpenProxy> | undefined

  constructor(
    private readonly options: SandboxOptions,
    private readonly parts: { readonly program: string; readonly files: PrivateFolder },
  ) {
    this.views = new SandboxViews(options)
  }

  get name(): string {
    return this.parts.program
  }

  async confine(request: BackendRequest): Promise<ConfinedLaunch> {
    const { confinement, cwd } = request
    const { settings } = this.options
    const { program, files } = this.parts
    const proxy = await this.getProxyFor(confinement)
    const sandboxView = await runStepsInSlices(this.views.createView(request))
    const { writableFolders: writable, mounts, showsOtherFiles } = sandboxView
    const { allowsUnixSockets, allowsUnsandboxed } = settings
    const mark = this.refusals.mark()
    const guard = this.views.guard(sandboxView, files.temporaryFolder)
    const view = {
      mounts: [...mounts, ...files.mounts],
      ...(!showsOtherFiles && { hiddenRoots: [...USER_FOLDERS, this.options.home] }),
      allowsUnixSockets,
      ...(proxy && { proxyPort: proxy.port }),
    }
    return {
      ...createSeatbeltPrefix(program, view, cwd),
      folder: files.path,
      environment: {
        HAFT_SANDBOX: '1',
        TMPDIR: files.temporaryFolder,
        ...(proxy && createProxyEnvironment(proxy.url)),
      },
      confinement,
      explain: (end) => [
        ...guard.finish(),
        ...explainRefusals(
          end,
          {
            ...{
              confinement,
              cwd,
              writableFolders: writable,
              mounts,
              showsOtherFiles,
              allowsUnixSockets,
              allowsUnsandboxed,
            },
            hasProxy: proxy !== undefined,
            hosts: this.refusals.listSince(mark),
          },
          machineFacts,
        ),
      ],
      watch: (end) => guard.start(end),
      release: () => void guard.finish(),
    }
  }

  close(): void {
    void this.proxy?.then((proxy) => proxy.close())
    this.parts.files.remove()
  }

  private getProxyFor(confinement: SandboxConfinement): Promise<OpenProxy> | undefined {
    if (confinement === 'read-only' || this.options.settings.allowedDomains.length === 0) return undefined
    this.proxy ??= this.openProxy()
    return this.proxy
  }

  /**
   * Opens a proxy. Other programs on this machine can reach its port, so it requires a password that only confined commands
   * know.
   */
  private async openProxy(): Promise<OpenProxy> {
    const { settings, lookUp } = this.options
    const password = randomBytes(16).toString('hex')
    const server = createDomainProxy({
      allowedDomains: settings.allowedDomains,
      refusals: this.refusals,
      password,
      ...(lookUp !== undefined && { lookUp }),
    })
    server.listen(0, '127.0.0.1').unref()
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    return { port, url: `http://haft:${password}@127.0.0.1:${port}`, close: () => server.close() }
  }
}

/** The folders for files of users, other disks and programs. Everything else belongs to the system. */
const USER_FOLDERS = ['/Users', '/Volumes', '/private/tmp', '/private/var/folders', '/private/var/root']

const SANDBOX_EXEC = '/usr/bin/sandbox-exec'

/** Opens the sandbox of macOS, if its probe succeeds. */
export async function openSeatbelt(options: SandboxOptions): Promise<ProbeResult> {
  if (!existsSync(SANDBOX_EXEC)) return { reason: `${SANDBOX_EXEC} is missing` }
  const files = makePrivateFolder(options.temporaryFolder)
  const fault = await probeBackend({
    folder: files.path,
    script: SEATBELT_PROBE,
    confine: (mounts) => createSeatbeltPrefix(SANDBOX_EXEC, { mounts, allowsUnixSockets: false }),
  })
  if (fault === undefined) return { backend: new SeatbeltBackend(options, { program: SANDBOX_EXEC, files }) }
  files.remove()
  return { reason: fault }
}
