/** A feature flag. */
export interface Flag {
  readonly default: boolean
  /** Tools that exist only while this flag, or another one that adds them at the same gate, is on. */
  readonly adds?: readonly string[]
  /** Tools that are omitted while this flag is on. */
  readonly removes?: readonly string[]
  /** Tools that are omitted while this flag is on and at least one of the tools it adds is available. */
  readonly replaces?: readonly string[]
  /** One sentence for the documentation. */
  readonly does: string
}

/** Gate 1: parts that a build includes or omits. The tools they add are gated by `feature` where they are listed. */
export const BUILD_FLAGS = {
  COORDINATOR_MODE: { default: true, does: 'Coordinator mode can be switched on.' },
  KAIROS: { default: false, adds: ['Sleep', 'SendUserFile'], does: 'Brief is the channel to the user.' },
  PROACTIVE: { default: true, adds: ['Sleep'], does: 'The agent may wait and wake by itself.' },
  WEB_BROWSER_TOOL: { default: true, adds: ['WebBrowser'], does: 'Drives a real browser.' },
  HISTORY_SNIP: { default: true, adds: ['Snip'], does: 'Drops spans of history.' },
  FORK_SUBAGENT: {
    default: true,
    does: 'Sub-agents may share the cache prefix of their parent; Agent is never deferred.',
  },
  AGENT_TRIGGERS: {
    default: true,
    adds: ['CronCreate', 'CronDelete', 'CronList', 'RemoteTrigger'],
    does: 'Starts agents by schedule or from afar.',
  },
  MONITOR: { default: true, adds: ['Monitor'], does: 'Each line of a command wakes the agent.' },
  WORKFLOW: { default: true, adds: ['Workflow'], does: 'Runs scripts of agents and tool calls.' },
  PUSH_NOTIFICATION: { default: true, adds: ['PushNotification'], does: 'Notifies the user outside the terminal.' },
  PR_TOOLS: {
    default: true,
    adds: ['SubscribePR', 'SuggestBackgroundPR'],
    does: 'Follows and suggests pull requests.',
  },
} as const satisfies Record<string, Flag>

/** The name of a build flag. */
export type BuildFlag = keyof typeof BUILD_FLAGS

/**
 * Whether this build includes a part. The build replaces every call by `true` or `false`, so that a part that is off
 * is removed from the bundle as dead code. This body runs only in tests.
 */
export function feature(name: BuildFlag): boolean {
  return BUILD_FLAGS[name].default
}
