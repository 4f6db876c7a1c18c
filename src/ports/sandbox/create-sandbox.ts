import { ToolCallError } from '../../contract/errors.js'
import type { Confinement, ConfinementStatus } from '../../contract/ports/shell.js'
import { reasonOf } from '../../shared/reason-of.js'
import type { ConfinedLaunch, ConfinePort, ConfineRequest } from '../shell/confinement.js'
import type { ProbeResult, SandboxOptions } from './backend.js'
import { openBubblewrap } from './bubblewrap/bubblewrap-backend.js'
import { openSeatbelt } from './seatbelt/seatbelt-backend.js'

export interface Sandbox extends ConfinePort {
  confine(request: ConfineRequest): Promise<ConfinedLaunch>
  status(): Promise<ConfinementStatus>
  /** Ends the proxy and removes temporary files. */
  close(): Promise<void>
}

/** Creates the sandbox of this machine. A probe command tests it once, when it is first needed. */
export function createSandbox(options: SandboxOptions): Sandbox {
  const { settings } = options
  const defaultConfinement: Confinement = settings.enabled === true || settings.isRequired ? 'workspace' : 'none'
  const chooseConfinement = ({
    confinement = defaultConfinement,
    isAllowedByRule,
  }: Pick<ConfineRequest, 'confinement' | 'isAllowedByRule'>) => {
    if (confinement !== 'read-only' || isAllowedByRule !== true) return confinement
    // Hidden files stay hidden, even if a rule allows the command.
    return defaultConfinement === 'none' && hidesFiles(options) ? confinement : defaultConfinement
  }
  const isDisabled = settings.enabled === false && !settings.isRequired
  let probeResult: Promise<ProbeResult> | undefined
  const probe = () => {
    probeResult ??= openBackend(options).catch((error: unknown) => ({ reason: reasonOf(error) }))
    return probeResult
  }
  let hasWarned = false
  /** Returns a warning for the first command if the sandbox that the user enabled does not work. */
  const warnOnce = (reason: string): readonly string[] => {
    if (hasWarned) return []
    hasWarned = true
    return [`This command ran without a sandbox, although the settings enable it: ${reason}. Tell the user.`]
  }
  return {
    async confine(request) {
      if (isDisabled) return UNCONFINED_COMMAND
      const confinement = chooseConfinement(request)
      if (confinement === 'none')
        return settings.allowsUnsandboxed || defaultConfinement === 'none' ? UNCONFINED_COMMAND : refuseUnsandboxed()
      const result = await probe()
      if ('backend' in result) return result.backend.confine({ ...request, confinement })
      if (settings.isRequired) refuseToRun(result.reason)
      return confinement === 'read-only'
        ? UNCONFINED_COMMAND
        : { ...UNCONFINED_COMMAND, explain: () => warnOnce(result.reason) }
    },

    async status() {
      if (isDisabled) {
        return { isAvailable: false, reason: 'disabled by sandbox.enabled in the settings', byDefault: 'none' }
      }
      const result = await probe()
      return 'backend' in result
        ? { isAvailable: true, reason: result.backend.name, byDefault: defaultConfinement }
        : { isAvailable: false, reason: result.reason, byDefault: defaultConfinement }
    },

    async close() {
      const result = await probeResult
      if (result !== undefined && 'backend' in result) result.backend.close()
    },
  }
}

/** Whether the settings or the permission rules hide anything from commands. */
function hidesFiles({ settings, deniedReads }: SandboxOptions): boolean {
  if (settings.denyRead.length > 0) return true
  const hiddenReads = deniedReads?.()
  return hiddenReads !== undefined && hiddenReads.paths.length + hiddenReads.patterns.length > 0
}

const UNCONFINED_COMMAND: ConfinedLaunch = { argvPrefix: [], confinement: 'none', explain: () => [] }

async function openBackend(options: SandboxOptions): Promise<ProbeResult> {
  switch (options.platform) {
    case 'linux':
      return openBubblewrap(options)
    case 'darwin':
      return openSeatbelt(options)
    default:
      return { reason: `there is no sandbox for ${options.platform}` }
  }
}

function refuseUnsandboxed(): never {
  throw new ToolCallError(
    'permission_denied',
    'The settings do not allow commands outside the sandbox (sandbox.allowUnsandboxed is false). Run it without dangerouslyDisableSandbox.',
  )
}

function refuseToRun(reason: string): never {
  throw new ToolCallError(
    'unavailable',
    `The settings require a sandbox for commands (sandbox.required), and none is available: ${reason}.`,
  )
}
