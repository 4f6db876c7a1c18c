import type { ToolResources } from '../../contract/tool.js'

/** What a command line does, as far as its text tells. */
export interface CommandFacts {
  readonly isReadOnly: boolean
  readonly isConcurrencySafe: boolean
  readonly isDestructive: boolean
  /** All it does at first is to wait. */
  readonly isWaiting: boolean
  readonly resources: ToolResources
  /** Whether any part of it falls under the content of a rule; throws where that cannot be told. */
  readonly matches: (ruleContent: string) => boolean
}

export function commandFacts(_command: string): CommandFacts {
  return {
    isReadOnly: false,
    isConcurrencySafe: false,
    isDestructive: true,
    isWaiting: false,
    resources: { unknown: true },
    matches() {
      throw new Error('The command is not understood.')
    },
  }
}
