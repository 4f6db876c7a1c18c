import { ToolCallError } from '../../contract/errors.js'
import type { Confinement, ConfinementStatus } from '../../contract/ports/shell.js'
import { reasonOf } from '../../shared/reason-of.js'
import type { Confined, ConfinePort, ConfineRequest } from '../shell/confinement.js'
import type { Probed, SandboxOptions } from './backend.js'
import { openBubblewrap } from './bubblewrap/bubblewrap-backend.js'
import { openSeatbelt } from './seatbelt/seatbelt-backend.js'

export interface Sandbox extends ConfinePort {
  confine(request: ConfineRequest): Promise<Confined>
  status(): Promise<ConfinementStatus>
  /** Ends the proxy and removes temporary files. */
  close(): Promise<void>
}

/** The sandbox of this machine. It is probed once, when it is first needed. */
export function createSandbox(options: SandboxOptions): Sandbox {
  const { settings } = options
  const byDefault: Confinement = settings.enabled === true || settings.isRequired ? 'workspace' : 'none'
  const effectiveConfinement = ({
    confinement = byDefault,
    isAllowedByRule,
  }: Pick<ConfineRequest, 'confinement' | 'isAllowedByRule'>) => {
    if (confinement !== 'read-only' || isAllowedByRule !== true) return confinement
    // Hidden files stay hidden, whatever a rule allows.
    return byDefault === 'none' && settings.denyRead.length > 0 ? confinement : byDefault
  }
  const isOff = settings.enabled === false && !settings.isRequired
  let probed: Promise<Probed> | undefined
  const probe = () => {
    probed ??= openBackend(options).catch((error: unknown) => ({ reason: reasonOf(error) }))
    return probed
  }
  let hasWarned = false
  /** Warns a user who enabled the sandbox that it does not work, with the first command. */
  const warnOnce = (reason: string): readonly string[] => {
    if (hasWarned) return []
    hasWarned = true
    return [`This command ran without a sandbox, although the settings enable it: ${reason}. Tell the user.`]
  }
  return {
    async confine({ cwd, folders, ...asked }) {
      if (isOff) return UNCONFINED
      const confinement = effectiveConfinement(asked)
      if (confinement === 'none')
        return settings.allowsUnsandboxed || byDefault === 'none' ? UNCONFINED : refuseToLeave()
      const found = await probe()
      if ('backend' in found) return found.backend.confine({ confinement, cwd, folders })
      if (settings.isRequired) refuseToRun(found.reason)
      return confinement === 'read-only' ? UNCONFINED : { ...UNCONFINED, explain: () => warnOnce(found.reason) }
    },

    async status() {
      if (isOff) {
        return { isAvailable: false, reason: 'disabled by sandbox.enabled in the settings', byDefault: 'none' }
      }
      const found = await probe()
      return 'backend' in found
        ? { isAvailable: true, reason: found.backend.name, byDefault }
        : { isAvailable: false, reason: found.reason, byDefault }
    },

    async close() {
      const found = await probed
      if (found !== undefined && 'backend' in found) found.backend.close()
    },
  }
}

const UNCONFINED: Confined = { argvPrefix: [], confinement: 'none', explain: () => [] }

async function openBackend(options: SandboxOptions): Promise<Probed> {
  switch (options.platform) {
    case 'linux':
      return openBubblewrap(options)
    case 'darwin':
      return openSeatbelt(options)
    default:
      return { reason: `there is no sandbox for ${options.platform}` }
  }
}

function refuseToLeave(): never {
  throw new ToolCallError(
    'permission_denied',
    'The settings allow no command outside the sandbox (sandbox.allowUnsandboxed is false). Run it without dangerouslyDisableSandbox.',
  )
}

function refuseToRun(reason: string): never {
  throw new ToolCallError(
    'unavailable',
    `The settings require a sandbox for commands (sandbox.required), and none is available: ${reason}.`,
  )
}
