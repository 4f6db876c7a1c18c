import type { ModeEntered } from '../../contract/events.js'
import { PERMISSION_MODES, type PermissionMode, type ToolPermissionContext } from '../../contract/permission/context.js'
import type { PermissionUpdate } from '../../contract/permission/result.js'
import { canStartInBypass } from '../../permissions/decide/can-start-in-bypass.js'
import type { DirectoryFolders } from '../../settings/files/resolve-directory.js'
import {
  findUpdateRefusal,
  NO_RESTRICTIONS,
  type PermissionRestrictions,
} from '../../settings/merge/restrict-layers.js'
import { applyPermissionUpdate } from '../../settings/save/apply-permission-update.js'
import { deepFreeze } from '../../shared/deep-freeze.js'
import { reasonOf } from '../../shared/reason-of.js'
import { findUpdateProblem } from './update-problem.js'

/** The result of applying updates. Those that were not refused apply now; they are also saved unless `unsaved` is set. */
export interface AppliedUpdates {
  readonly refused: readonly { readonly update: PermissionUpdate; readonly reason: string }[]
  /** Why nothing was saved. The updates apply until the runtime ends. */
  readonly unsaved?: string
}

export interface PermissionOptions {
  readonly restrictions?: PermissionRestrictions
  /** Returns why a mode cannot be entered on this machine. */
  readonly findModeRefusal: (mode: PermissionMode) => string | undefined
  /** The folders that relative directories of updates are resolved against. */
  readonly folders: DirectoryFolders
  readonly save?: (updates: readonly PermissionUpdate[]) => Promise<unknown>
  readonly onMode: (event: ModeEntered) => void
}

/** How the permissions of a sub-agent differ from those of its parent. */
export interface PermissionLimits {
  /** The mode of the sub-agent, which applies if it is stricter than that of its parent. */
  readonly mode?: PermissionMode | undefined
  /** Whether the mode applies even if it is looser, unless the parent is in plan mode. */
  readonly mayLoosen?: boolean
  /** Further changes to the context, such as other working directories. */
  readonly adapt?: ((context: ToolPermissionContext) => ToolPermissionContext) | undefined
}

/** The context that all agents of a runtime share. A sub-agent can have its own mode. */
interface SharedContext {
  context: ToolPermissionContext
}

/**
 * The permissions of one agent. Rules and directories come from the user and apply to all agents. The mode is inherited
 * until the agent gets its own, which does not affect its ancestors.
 */
export class PermissionState {
  readonly #options: PermissionOptions
  readonly #shared: SharedContext
  readonly #parent: PermissionState | undefined
  readonly #limits: PermissionLimits
  /** Changes to the context, such as other working directories. */
  #adapt: PermissionLimits['adapt']
  #ownMode: PermissionMode | undefined
  #modeBeforePlan: PermissionMode = 'default'
  #derivedContext: { readonly from: ToolPermissionContext; readonly context: ToolPermissionContext } | undefined

  constructor(
    context: ToolPermissionContext,
    options: PermissionOptions,
    parent?: PermissionState,
    limits: PermissionLimits = {},
  ) {
    this.#options = options
    this.#limits = limits
    this.#adapt = limits.adapt
    this.#shared = parent === undefined ? { context } : parent.#shared
    this.#parent = parent
    const refusal = parent === undefined ? this.#findRefusal(createModeUpdate(context.mode)) : undefined
    if (refusal !== undefined) throw new Error(refusal)
  }

  get mode(): PermissionMode {
    const { mode: limit, mayLoosen } = this.#limits
    const inheritedMode = this.#parent?.mode ?? this.#shared.context.mode
    if (limit === undefined) return this.#ownMode ?? inheritedMode
    if (mayLoosen !== true) return chooseStricterMode(this.#ownMode ?? inheritedMode, limit)
    return this.#ownMode ?? (inheritedMode === 'plan' ? inheritedMode : limit)
  }

  /** The mode before plan mode; `default` if the conversation started in plan mode. */
  get modeBeforePlan(): PermissionMode {
    return this.#modeBeforePlan
  }

  /** The current context. The same object while nothing changes. */
  get context(): ToolPermissionContext {
    const { context: from } = this.#shared
    const { mode } = this
    const adapt = this.#adapt
    if (mode === from.mode && adapt === undefined) return from
    if (this.#derivedContext?.from !== from || this.#derivedContext.context.mode !== mode) {
      const context = deepFreeze({ ...from, mode })
      this.#derivedContext = { from, context: adapt === undefined ? context : adapt(context) }
    }
    return this.#derivedContext.context
  }

  /** Replaces the context, for example after a settings file has changed. Returns a reason if its mode is refused. */
  replace(context: ToolPermissionContext): string | undefined {
    const refusal = this.#findRefusal(createModeUpdate(context.mode))
    if (refusal !== undefined) return refusal
    this.#change(() => {
      this.#ownMode = this.#parent === undefined ? undefined : context.mode
      this.#shared.context = this.#parent === undefined ? context : deepFreeze({ ...context, mode: this.#rootMode })
    })
    return undefined
  }

  /** Applies updates at once, then saves them. Never rejects: an answer of the user applies even if it cannot be saved. */
  async apply(updates: readonly PermissionUpdate[]): Promise<AppliedUpdates> {
    const refusedUpdates: { update: PermissionUpdate; reason: string }[] = []
    const acceptedUpdates = updates.filter((update) => {
      const reason = this.#findRefusal(update)
      if (reason !== undefined) refusedUpdates.push({ update, reason })
      return reason === undefined
    })
    this.#change(() => {
      for (const update of acceptedUpdates) this.#applyUpdate(update)
    })
    const saveFailure = await this.#save(acceptedUpdates)
    return { refused: refusedUpdates, ...(saveFailure !== undefined && { unsaved: saveFailure }) }
  }

  /** Applies updates, and reports those that were refused or not saved. */
  async applyAndReport(
    updates: readonly PermissionUpdate[],
    onProblem: (problem: string) => void,
  ): Promise<AppliedUpdates> {
    const result = await this.apply(updates)
    for (const { reason } of result.refused) onProblem(`A permission update was refused: ${reason}`)
    if (result.unsaved !== undefined) onProblem(`Permission updates were not saved: ${result.unsaved}`)
    return result
  }

  fork(onMode: PermissionOptions['onMode'], limits?: PermissionLimits): PermissionState {
    const adapt = combineAdaptations(this.#adapt, limits?.adapt)
    return new PermissionState(this.context, { ...this.#options, onMode }, this, { ...limits, adapt })
  }

  /** Replaces the changes that this agent makes to the context. Existing sub-agents keep the changes they started with. */
  adaptWith(adapt: PermissionLimits['adapt']): void {
    this.#adapt = adapt
    this.#derivedContext = undefined
  }

  /** Returns why this agent cannot enter a mode; undefined if it can. */
  findModeRefusal(mode: PermissionMode): string | undefined {
    return this.#findRefusal(createModeUpdate(mode))
  }

  get #rootMode(): PermissionMode {
    return this.#shared.context.mode
  }

  #applyUpdate(update: PermissionUpdate): void {
    if (update.type === 'setMode' && this.#parent !== undefined) this.#ownMode = update.mode
    else {
      const { restrictions, folders } = this.#options
      this.#shared.context = applyPermissionUpdate(this.#shared.context, update, restrictions, folders)
    }
  }

  #findRefusal(update: PermissionUpdate): string | undefined {
    const { restrictions = NO_RESTRICTIONS } = this.#options
    const refusal = findProblem(update) ?? findUpdateRefusal(update, restrictions)
    return refusal ?? (update.type === 'setMode' ? this.#options.findModeRefusal(update.mode) : undefined)
  }

  #change(applyChange: () => void): void {
    const modeBefore = this.mode
    applyChange()
    const { mode } = this
    if (mode === modeBefore) return
    if (mode === 'plan') this.#modeBeforePlan = modeBefore
    this.#options.onMode({ type: 'mode-entered', at: Date.now(), mode })
  }

  async #save(updates: readonly PermissionUpdate[]): Promise<string | undefined> {
    if (updates.length === 0) return undefined
    try {
      await this.#options.save?.(updates)
      return undefined
    } catch (error) {
      return reasonOf(error)
    }
  }
}

/** Combines the changes of an agent with those of its parent, because they also apply to the sub-agents that it starts. */
function combineAdaptations(
  inherited: PermissionLimits['adapt'],
  own: PermissionLimits['adapt'],
): PermissionLimits['adapt'] {
  return own === undefined || inherited === undefined ? (own ?? inherited) : (context) => own(inherited(context))
}

/** Checks a session mode without the schema: every session sets one, and loading the schema would slow down its start. */
function findProblem(update: PermissionUpdate): string | undefined {
  const isPlain =
    update?.type === 'setMode' && update.destination === 'session' && PERMISSION_MODES.includes(update.mode)
  return isPlain ? undefined : findUpdateProblem(update)
}

function createModeUpdate(mode: PermissionMode): PermissionUpdate {
  return { type: 'setMode', destination: 'session', mode }
}

const MODES_STRICTEST_FIRST: readonly PermissionMode[] = [
  ...(['plan', 'dontAsk', 'default', 'acceptEdits', 'auto', 'bypassPermissions'] as const),
]

function chooseStricterMode(a: PermissionMode, b: PermissionMode): PermissionMode {
  return MODES_STRICTEST_FIRST.indexOf(a) <= MODES_STRICTEST_FIRST.indexOf(b) ? a : b
}

/** Returns why a mode cannot be entered in this process; undefined if it can. */
export function findModeRefusal(
  mode: PermissionMode,
  variables: Readonly<Record<string, string | undefined>>,
  isSandboxed = variables.HAFT_SANDBOX === '1',
): string | undefined {
  if (mode !== 'bypassPermissions') return undefined
  const answer = canStartInBypass({ isRoot: process.getuid?.() === 0, isSandboxed })
  return answer.canStart ? undefined : answer.message
}
