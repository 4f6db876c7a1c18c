/** A flag that changes which tools exist or how the agent works. */
export interface Flag {
  readonly default: boolean
  /** Tools that exist only while this flag is on, or another flag that adds the same tools. */
  readonly adds?: readonly string[]
  /** Tools that are omitted while this flag is on. */
  readonly removes?: readonly string[]
  /** Tools that are omitted while this flag is on and at least one of the tools it adds is available. */
  readonly replaces?: readonly string[]
  /** One sentence for the documentation. */
  readonly description: string
}

/** Gate 1: features that a build includes or omits. `src/tools/index.ts` lists the tools of a feature behind `feature(…)`. */
export const BUILD_FLAGS = {
  COORDINATOR_MODE: { default: true, description: 'Coordinator mode can be enabled.' },
  KAIROS: {
    default: false,
    adds: ['Sleep', 'SendUserFile'],
    description: 'The agent communicates with the user through Brief.',
  },
  PROACTIVE: { default: true, adds: ['Sleep'], description: 'The agent can pause and resume on its own.' },
  WEB_BROWSER_TOOL: { default: true, adds: ['WebBrowser'], description: 'Drives a real browser.' },
  HISTORY_SNIP: {
    default: true,
    adds: ['Snip'],
    description: 'The model can remove parts of the conversation history.',
  },
  FORK_SUBAGENT: {
    default: true,
    description: 'Sub-agents may share the cache prefix of their parent; Agent is never deferred.',
  },
  AGENT_TRIGGERS: {
    default: true,
    adds: ['CronCreate', 'CronDelete', 'CronList', 'RemoteTrigger'],
    description: 'Starts agents on a schedule or through a remote trigger.',
  },
  MONITOR: { default: true, adds: ['Monitor'], description: 'Wakes the agent for each output line of a command.' },
  WORKFLOW: { default: true, adds: ['Workflow'], description: 'Runs scripts that combine agents and tool calls.' },
  PUSH_NOTIFICATION: {
    default: true,
    adds: ['PushNotification'],
    description: 'Notifies the user outside the terminal.',
  },
  PR_TOOLS: {
    default: true,
    adds: ['SubscribePR', 'SuggestBackgroundPR'],
    description: 'Subscribes to pull requests and suggests new ones.',
  },
} as const satisfies Record<string, Flag>

/** A name that `--with` and `--without` of `scripts/build.mjs` accept. */
export type BuildFlag = keyof typeof BUILD_FLAGS

/**
 * Whether this build includes a feature. The build replaces every call with `true` or `false`, so that a feature that is
 * off is removed from the bundle as dead code. The body runs only in unbuilt code, such as tests.
 */
export function feature(name: BuildFlag): boolean {
  return BUILD_FLAGS[name].default
}
