import type { ModeEntered } from '../contract/events.js'
import { createPermissionContext, type ToolPermissionContext } from '../contract/permission-context.js'
import type { PermissionUpdate } from '../contract/permission-result.js'
import { applyPermissionUpdate } from '../settings/apply-permission-update.js'

/** Rules as a library user writes them; they count as given on the command line. */
export interface PermissionRules {
  readonly mode?: ToolPermissionContext['mode']
  readonly allow?: readonly string[]
  readonly deny?: readonly string[]
  readonly ask?: readonly string[]
  readonly directories?: readonly string[]
}

/** The permission context in force. It is replaced, never changed. */
export class PermissionState {
  #context: ToolPermissionContext
  readonly #save: ((updates: readonly PermissionUpdate[]) => Promise<void>) | undefined
  readonly #onMode: (event: ModeEntered) => void

  constructor(
    context: ToolPermissionContext,
    onMode: (event: ModeEntered) => void,
    save?: (updates: readonly PermissionUpdate[]) => Promise<void>,
  ) {
    this.#context = context
    this.#onMode = onMode
    this.#save = save
  }

  get context(): ToolPermissionContext {
    return this.#context
  }

  set context(context: ToolPermissionContext) {
    const { mode } = this.#context
    this.#context = context
    if (context.mode !== mode) this.#onMode({ type: 'mode-entered', at: Date.now(), mode: context.mode })
  }

  /** Applies at once; what is to be kept in files is written before the call goes on. */
  async apply(updates: readonly PermissionUpdate[]): Promise<void> {
    let next = this.#context
    for (const update of updates) next = applyPermissionUpdate(next, update)
    this.context = next
    await this.#save?.(updates)
  }
}

export function permissionContextOf(given: PermissionRules | ToolPermissionContext = {}): ToolPermissionContext {
  if ('alwaysDenyRules' in given) return createPermissionContext(given)
  const { mode = 'default', allow = [], deny = [], ask = [], directories = [] } = given
  return createPermissionContext({
    mode,
    alwaysAllowRules: { cliArg: allow },
    alwaysDenyRules: { cliArg: deny },
    alwaysAskRules: { cliArg: ask },
    additionalWorkingDirectories: directories.map((path) => ({ path, source: 'cliArg' })),
  })
}
